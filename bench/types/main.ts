/**
 * Measures the compiler's time for a thousand typed routes and calls of `url`, compared with the same module without them:
 * `npm run bench -- types`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { check, report, subtract } from './check.ts'

const count = 1000
const rounds = 5

/** Route patterns in rotation: static, one, two and three parameters, optional and splat. */
const shapes: readonly ((i: number) => readonly [pattern: string, call: string])[] = [
  (i) => [`/area${i}/items`, `c.url(r${i})`],
  (i) => [`/area${i}/items/:id`, `c.url(r${i}, { id: ${i} })`],
  (i) => [`/area${i}/:kind/items/:id`, `c.url(r${i}, { kind: 'a', id: ${i} }, { page: 2 })`],
  (i) => [`/area${i}/:a/:b/:c`, `c.url(r${i}, { a: 1, b: 2, c: 3 })`],
  (i) => [`/area${i}/items/:id.:format?`, `c.url(r${i}, { id: ${i} })`],
]

/** Generates a module with that number of routes and calls. */
function program(routes: number, calls: number): string {
  const numbers = Array.from({ length: routes }, (_, i) => i)
  const made = (i: number) => shapes[i % shapes.length]!(i)
  return [
    `import type { FwController, Route } from '../../../src/index.ts'`,
    `declare function route<const P extends string>(pattern: P): Route<P>`,
    ...numbers.map((i) => `const r${i} = route('${made(i)[0]}')`),
    `export function links(c: FwController): void {`,
    ...numbers.map((i) => (i < calls ? `  ${made(i)[1]}` : `  void r${i}`)),
    '}',
    '',
  ].join('\n')
}

function write(routes: number, calls: number): string {
  const folder = mkdtempSync(join(import.meta.dirname, 'run-'))
  writeFileSync(join(folder, 'links.ts'), program(routes, calls))
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../../tsconfig.json', include: ['links.ts'] }),
  )
  return folder
}

const folders = { alone: write(0, 0), routes: write(count, 0), calls: write(count, count) }
try {
  const { alone, routes, calls } = check(folders, rounds)
  report('Fw by itself, from its sources', alone)
  report(`with ${count} routes`, routes)
  report(`with ${count} calls of url`, calls)
  report(`${count} routes and calls alone`, subtract(calls, alone))
} finally {
  for (const folder of Object.values(folders)) rmSync(folder, { recursive: true })
}
