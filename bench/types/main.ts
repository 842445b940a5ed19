/**
 * Measures the compiler's time for a thousand typed routes and calls of `url`, compared with the same module without them:
 * `npm run bench -- types`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { check, median, report, type Cost } from './check.ts'

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

function measure(routes: number, calls: number): Cost {
  const folder = mkdtempSync(join(import.meta.dirname, 'run-'))
  try {
    writeFileSync(join(folder, 'links.ts'), program(routes, calls))
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../../../tsconfig.json', include: ['links.ts'] }),
    )
    const all = Array.from({ length: rounds }, () => check(folder))
    return {
      seconds: median(all.map(({ seconds }) => seconds)),
      instantiations: all[0]!.instantiations,
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const alone = measure(0, 0)
const routes = measure(count, 0)
const calls = measure(count, count)
report('Fw by itself, from its sources', alone)
report(`with ${count} routes`, routes)
report(`with ${count} calls of url`, calls)
report(`${count} routes and calls alone`, {
  seconds: calls.seconds - alone.seconds,
  instantiations: calls.instantiations - alone.instantiations,
})
