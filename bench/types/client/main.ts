/**
 * Measures the compiler's time for a typed client: a thousand calls of the routes of a hundred controllers, compared with
 * the controllers alone, for Fw and for Hono: `npm run bench -- types/client`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { check, report, subtract } from '../check.ts'
import * as fw from './fw.ts'
import * as hono from './hono.ts'

const controllers = 100
const rounds = 7

const numbers = Array.from({ length: controllers }, (_, n) => n)

/** The source text of an application with routes, and of a client that calls them. */
interface Subject {
  controller(n: number): string
  calls(n: number): string
  application(names: readonly string[]): string
  readonly client: string
}

/** Writes the controllers and, if `withCalls`, a client that calls each route. */
function write(subject: Subject, withCalls: boolean): string {
  const folder = mkdtempSync(join(import.meta.dirname, 'run-'))
  const file = (name: string, text: string) => writeFileSync(join(folder, name), text)
  for (const n of numbers) file(`c${n}.ts`, subject.controller(n))
  const imports = numbers.map((n) => `import { c${n} } from './c${n}.ts'\n`)
  const names = numbers.map((n) => `c${n}`)
  file('application.ts', imports.join('') + subject.application(names) + '\n')
  if (withCalls) file('client.ts', subject.client + numbers.map((n) => subject.calls(n)).join(''))
  const tsconfig = { extends: '../../../../tsconfig.json', include: ['*.ts'] }
  file('tsconfig.json', JSON.stringify(tsconfig))
  return folder
}

const folders = {
  fw: write(fw, false),
  'fw with calls': write(fw, true),
  hono: write(hono, false),
  'hono with calls': write(hono, true),
}
try {
  const costs = check(folders, rounds)
  for (const [name, cost] of Object.entries(costs)) report(name, cost)
  report('fw, the client and its calls', subtract(costs['fw with calls'], costs.fw))
  report('hono, the client and its calls', subtract(costs['hono with calls'], costs.hono))
} finally {
  for (const folder of Object.values(folders)) rmSync(folder, { recursive: true })
}
