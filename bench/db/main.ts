/**
 * CPU time per request of pages with PostgreSQL queries, compared with `node:http` and pg, and with a full framework:
 * `npm run bench -- db`, optionally with `--rounds 9` and `--server postgres://…`.
 */
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { firstAnswer, Load } from '../http/load.ts'
import { estimate, type Estimate } from '../http/statistics.ts'
import { generateSources } from '../../src/templates/compile.ts'
import { buildPackage } from '../build.ts'
import { compareReads } from './reads.ts'
import { makeTables } from './tables.ts'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    server: {
      type: 'string',
      default: process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test',
    },
    // `--pairs ''` measures the reads alone.
    pairs: { type: 'string' },
    'warm-up': { type: 'string', default: '4000' },
    measured: { type: 'string', default: '1500' },
    results: { type: 'string', default: join(import.meta.dirname, '../results/db.json') },
  },
})
const allPairs = 'by-hand:fw,by-hand:generated,fw:generated,by-hand:fastify,fastify:generated'
const pairs = (options.pairs ?? allPairs).split(',').filter(Boolean)
const paths = ['/db', '/queries', '/updates', '/fortunes']
const requestOf = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`

class Subject {
  readonly port: number
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
  }

  static async start(name: string, url: string): Promise<Subject> {
    const child = fork(join(import.meta.dirname, 'server.ts'), [name, url], {
      execArgv: [],
      env: { ...process.env, NODE_ENV: 'production', FW_ENV: 'test' },
    })
    spawnSync('taskset', ['-a', '-p', '-c', '0', String(child.pid)])
    const [port] = (await once(child, 'message')) as [number]
    return new Subject(child, port)
  }

  /** Microseconds of CPU time used. */
  async cpu(): Promise<number> {
    this.#child.send('cpu')
    const [{ user, system }] = (await once(this.#child, 'message')) as [NodeJS.CpuUsage]
    return user + system
  }

  async end(): Promise<void> {
    const gone = once(this.#child, 'exit')
    this.#child.disconnect()
    await gone
  }
}

/** Microseconds of CPU time per request of both servers under concurrent load. */
async function together(subjects: readonly Subject[], path: string, millis: number) {
  const loads = await Promise.all(subjects.map(({ port }) => Load.to(port, requestOf(path))))
  const before = await Promise.all(subjects.map((subject) => subject.cpu()))
  for (const load of loads) load.start()
  await sleep(millis)
  await Promise.all(loads.map((load) => load.stop()))
  const after = await Promise.all(subjects.map((subject) => subject.cpu()))
  const costs = loads.map((load, at) => (after[at]! - before[at]!) / load.answered)
  for (const load of loads) load.close()
  return costs as [number, number]
}

async function round(names: readonly string[], url: string) {
  const subjects = await Promise.all(names.map((name) => Subject.start(name, url)))
  for (const { port } of subjects)
    for (const path of paths) {
      const answer = await firstAnswer(port, requestOf(path))
      if (!answer.startsWith('HTTP/1.1 200')) throw new Error(`${path} was answered:\n${answer}`)
    }
  for (const path of paths) await together(subjects, path, Number(options['warm-up']))
  const costs: Record<string, [number, number]> = {}
  for (const path of paths) costs[path] = await together(subjects, path, Number(options.measured))
  await Promise.all(subjects.map((subject) => subject.end()))
  return costs
}

const shown = ({ median, low, high }: Estimate): string =>
  `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

buildPackage()
generateSources(join(import.meta.dirname, 'app'))
const tables = await makeTables(options.server)
const results: Record<string, Record<string, { ratio: Estimate; microseconds: number[] }>> = {}
let reads: Awaited<ReturnType<typeof compareReads>>
try {
  reads = await compareReads(tables.url, Number(options.rounds))
  console.error('reads', JSON.stringify(reads))
  for (const pair of pairs) {
    const names = pair.split(':')
    const rounds: Record<string, [number, number]>[] = []
    for (let at = 0; at < Number(options.rounds); at++) {
      // Alternate the order, so that it favours neither.
      const turned = at % 2 === 1
      const costs = await round(turned ? names.toReversed() : names, tables.url)
      if (turned) for (const cost of Object.values(costs)) cost.reverse()
      rounds.push(costs)
    }
    results[pair] = Object.fromEntries(
      paths.map((path) => [
        path,
        {
          ratio: estimate(rounds.map((costs) => costs[path]![0] / costs[path]![1])),
          microseconds: [0, 1].map(
            (at) => estimate(rounds.map((costs) => costs[path]![at]!)).median,
          ),
        },
      ]),
    )
    console.error(pair, JSON.stringify(results[pair]))
  }
} finally {
  await tables.drop()
}
mkdirSync(join(options.results, '..'), { recursive: true })
const about = {
  date: new Date().toISOString(),
  node: process.version,
  machine: `${cpus().length} × ${cpus()[0]!.model}`,
  rounds: Number(options.rounds),
}
const write = (file: string, content: object): void =>
  writeFileSync(file, `${JSON.stringify({ ...about, ...content }, undefined, 2)}\n`)
write(options.results.replace(/\.json$/, '-reads.json'), { reads })
if (options.pairs === undefined) write(options.results, { pairs: results })
console.log(
  [
    row(['cost of the first ÷ the second', ...paths]),
    row(['---', ...paths.map(() => '---')]),
    ...Object.entries(results).map(([pair, of]) =>
      row([pair.replace(':', ' ÷ '), ...paths.map((path) => shown(of[path]!.ratio))]),
    ),
  ].join('\n'),
)

for (const [title, compared] of Object.entries(reads))
  console.log(
    [
      '',
      row([title, 'cost ÷ that of the model', 'CPU µs']),
      row(['---', '---', '---']),
      ...Object.entries(compared).map(([name, { ratio, microseconds }]) =>
        row([name, shown(ratio), microseconds.toFixed(0)]),
      ),
    ].join('\n'),
  )
