/**
 * CPU time per request, compared with a hand-written server and other frameworks: `npm run bench -- http`,
 * optionally with `--rounds 9` and `--subjects micro,fastify`. `--base folder` compares each of Fw's layers with the same layer of
 * another checkout of Fw, in which `npm ci` has run. A run with neither `--subjects` nor `--base` writes the results at its end.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildPackage } from '../build.ts'
import { measurePair, type Costs, type Server } from './measure.ts'
import { scenarios } from './scenarios.ts'
import { estimate, type Estimate } from './statistics.ts'

const peers = ['fastify', 'hono', 'polka', '0http', '0http-headers', 'express', 'koa', 'h3', 'nest']
/** Fw's layers, each with the baseline that sends the same bytes and the comparable frameworks. */
const ownSubjects = [
  { name: 'micro', baseline: 'baseline', peers },
  { name: 'controller', baseline: 'baseline-pages', peers: ['fastify-helmet'] },
  // Its responses have further headers, so they are not compared with the baseline's.
  { name: 'generated', baseline: 'baseline-pages', peers: ['fastify-helmet'] },
] as const
const yardstick = 'baseline'
const allSubjects = [
  'baseline',
  'micro',
  'controller',
  'generated',
  'baseline-deferred',
  'fastify-helmet',
  ...peers,
]

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    subjects: { type: 'string' },
    'warm-up': { type: 'string', default: '20000' },
    measured: { type: 'string', default: '15000' },
    base: { type: 'string' },
    results: { type: 'string' },
  },
})
const subjects = options.subjects?.split(',') ?? allSubjects
const counts = { warmUp: Number(options['warm-up']), measured: Number(options.measured) }

const baselineOf = (subject: string): Server =>
  options.base === undefined
    ? { name: ownSubjects.find(({ name }) => name === subject)?.baseline ?? yardstick }
    : { name: subject, folder: join(options.base, 'bench/http') }

type Ratios = Record<string, Record<string, number[]>>

/** The ratio of the baseline's cost to the subject's for each round; above 1 the subject is cheaper. */
const ratios: Ratios = {}
const microseconds: Ratios = {}

function keep(into: Ratios, subject: string, costs: Costs): void {
  for (const [scenario, cost] of Object.entries(costs)) {
    ;((into[subject] ??= {})[scenario] ??= []).push(cost)
  }
}

async function measure(subject: string, round: number): Promise<void> {
  const baseline = baselineOf(subject)
  const isIdentical =
    options.base === undefined && (subject === 'micro' || subject === 'controller')
  // Alternate the order, so that it favours neither.
  const [base, own] =
    round % 2 === 0
      ? await measurePair([baseline, { name: subject }], counts, isIdentical, round)
      : (await measurePair([{ name: subject }, baseline], counts, isIdentical, round)).toReversed()
  keep(microseconds, subject, own)
  keep(
    ratios,
    subject,
    mapValues(own, (cost, scenario) => base[scenario]! / cost),
  )
}

function mapValues<T>(
  costs: Costs,
  change: (cost: number, scenario: string) => T,
): Record<string, T> {
  return Object.fromEntries(
    Object.entries(costs).map(([scenario, cost]) => [scenario, change(cost, scenario)]),
  )
}

const shown = ({ median, low, high }: Estimate): string =>
  `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`

function table(): string {
  const names = scenarios.map(({ name }) => name)
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    row(['baseline ÷ subject', ...names]),
    row(['---', ...names.map(() => '---')]),
    ...subjects.map((subject) =>
      row([subject, ...names.map((name) => shown(estimate(ratios[subject]![name]!)))]),
    ),
  ].join('\n')
}

/** The ratio of a framework's time to the subject's in one scenario, for each round. */
function ratioTo(subject: string, peer: string, scenario: string): Estimate {
  const own = ratios[subject]![scenario]!
  const other = ratios[peer]![scenario]!
  return estimate(own.map((ratio, round) => ratio / other[round]!))
}

function worstRatio(subject: string, other: string | undefined): string {
  const all = scenarios.map(({ name }) => ({
    name,
    ...(other === undefined ? estimate(ratios[subject]![name]!) : ratioTo(subject, other, name)),
  }))
  const least = all.toSorted((a, b) => a.median - b.median)[0]!
  return `${other ?? 'baseline'} ${shown(least)} ${least.name}`
}

function summary(): string {
  return ownSubjects
    .filter(({ name }) => subjects.includes(name))
    .map(({ name, peers: own }) => {
      const others = [undefined, ...own.filter((peer) => subjects.includes(peer))]
      return `${name}: ${others.map((other) => worstRatio(name, other)).join(', ')}`
    })
    .join('; ')
}

const load = createRequire(import.meta.url)
function findVersion(subject: string): string | undefined {
  const packages: Record<string, string> = {
    nest: '@nestjs/core',
    'fastify-helmet': '@fastify/helmet',
    '0http-headers': '0http',
  }
  const name = packages[subject] ?? subject
  if (!peers.includes(subject) && !(subject in packages)) return undefined
  for (const folder of load.resolve.paths(name) ?? []) {
    try {
      return (
        JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')) as { version: string }
      ).version
    } catch {
      // The package has no manifest in this folder.
    }
  }
  return undefined
}

function results(): object {
  return {
    date: new Date().toISOString(),
    node: process.version,
    machine: `${cpus().length} × ${cpus()[0]!.model}`,
    rounds: Number(options.rounds),
    versions: Object.fromEntries(subjects.map((subject) => [subject, findVersion(subject)])),
    scenarios: Object.fromEntries(
      scenarios.map(({ name }) => [
        name,
        Object.fromEntries(
          subjects.map((subject) => [
            subject,
            {
              ratio: estimate(ratios[subject]![name]!),
              microseconds: estimate(microseconds[subject]![name]!).median,
              rounds: ratios[subject]![name],
            },
          ]),
        ),
      ]),
    ),
  }
}

buildPackage()
if (options.base !== undefined) buildPackage(options.base)
for (let round = 0; round < Number(options.rounds); round++) {
  for (const subject of subjects) await measure(subject, round)
  console.error(`round ${round + 1}`)
}
const isComplete = options.subjects === undefined && options.base === undefined
const file =
  options.results ?? (isComplete ? join(import.meta.dirname, '../results/http.json') : undefined)
if (file !== undefined) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(results(), undefined, 2)}\n`)
}
console.log(`${table()}\n\nWorst: ${summary()}`)
