/**
 * The scaffolded members application, compared with the same application in other frameworks: `npm run bench -- app`,
 * optionally with `--rounds 5 --subjects fw,fastify --pages list,show --millis 700`. `DATABASE_URL` names a PostgreSQL server.
 * `--base folder` adds the subjects `base` and `base accounts`: `fw` and `accounts` of another checkout of Fw, with its packages
 * installed.
 * `--profile folder`, with one subject, writes V8's CPU profiles there and prints the functions with the most time.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openDatabase, type Database } from '../../src/runtime/db.ts'
import { emptyDatabaseOn } from '../../src/runtime/db/test-server.fixture.ts'
import { removeFolder } from '../../test/generate/folder.ts'
import { buildPackage } from '../build.ts'
import { estimate } from '../http/statistics.ts'
import { compareAnswers } from './compare-answers.ts'
import { installSize, versionOf } from './install-size.ts'
import { emailOf, hostile, pages, rows, zeroHash, type Page } from './pages.ts'
import { describeProfile, profileArguments } from './profile.ts'
import { loadCore, pin, ServerProcess } from './server-process.ts'
import { baseSubjects, installPeers, prepare, subjects, tablesFile } from './subjects.ts'
import type { Command, Subject } from './subjects.ts'
import { Visitor } from './visitor.ts'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    subjects: { type: 'string', default: subjects.map(({ name }) => name).join() },
    pages: { type: 'string', default: pages.map(({ name }) => name).join() },
    millis: { type: 'string', default: '1000' },
    'warm-up': { type: 'string', default: '5000' },
    connections: { type: 'string', default: '32' },
    base: { type: 'string' },
    profile: { type: 'string' },
    results: { type: 'string', default: join(import.meta.dirname, '../results/app.json') },
  },
})
const rounds = Number(options.rounds)
const requested = options.subjects.split(',')
const chosen = [
  ...subjects.filter(({ name }) => requested.includes(name)),
  ...(options.base === undefined ? [] : baseSubjects(options.base)).filter(({ hasAccounts }) =>
    requested.includes(hasAccounts === true ? 'accounts' : 'fw'),
  ),
]
const chosenPages = pages.filter(({ name }) => options.pages.split(',').includes(name))
const megabyte = 1e6
const profiles = options.profile

/** One page of one subject in one round. */
interface Cost {
  /** Microseconds of processor time of the server for each request; for `create` and the page after it together. */
  readonly cpu: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly perSecond: number
}

/** One start of a subject. */
interface Start {
  /** Milliseconds to the first answer. */
  readonly millis: number
  /** MB of resident memory half a second later. */
  readonly idle: number
}

interface Prepared {
  readonly subject: Subject
  readonly command: Command
  readonly database: Database
  readonly drop: () => Promise<void>
}

async function run(database: Database, ...statements: readonly string[]): Promise<void> {
  for (const sql of statements) await database.query({ sql, parameters: [] })
}

async function prepareSubject(subject: Subject): Promise<Prepared> {
  const { url, drop } = await emptyDatabaseOn('app')
  const database = await openDatabase({ kind: 'postgres', url, poolSize: 1 })
  if (subject.checkout === undefined) {
    const statements = readFileSync(tablesFile, 'utf8')
      .replace(/^--.*$/gm, '')
      .split(';')
    await run(database, ...statements.filter((sql) => sql.trim() !== ''))
  }
  const command = await prepare(subject, url)
  await run(
    database,
    `insert into members (name, birthday)
      select 'Member ' || lpad(i::text, 4, '0'), date '1950-01-01' + i * 17 from generate_series(1, ${rows}) i`,
  )
  await database.query({
    sql: 'update members set name = $1 where id = $2',
    parameters: [hostile.name, hostile.id],
  })
  if (subject.hasAccounts === true)
    for (let number = 1; number <= Number(options.connections); number++)
      await database.query({
        sql: 'insert into users (email, password_hash, created_at, updated_at) values ($1, $2, now(), now())',
        parameters: [emailOf(number), zeroHash],
      })
  return { subject, command, database, drop }
}

/** Removes what the page `create` has added, so that every page is measured with the same rows. */
const restore = (database: Database): Promise<void> =>
  run(database, `delete from members where id > ${rows}`, 'vacuum analyze members')

async function countRows(database: Database): Promise<number> {
  const sql = 'select count(*) as number from members'
  const { rows: counted } = await database.query<{ number: bigint }>({ sql, parameters: [] })
  return Number(counted[0]!.number)
}

/** Pins the backends of PostgreSQL that serve this database. */
async function pinBackends(database: Database): Promise<void> {
  const sql = 'select pid from pg_stat_activity where datname = current_database()'
  const { rows: backends } = await database.query<{ pid: number }>({ sql, parameters: [] })
  for (const { pid } of backends) pin(pid, loadCore)
}

/** A subject under load, in one process for all rounds. */
class Running {
  readonly prepared: Prepared
  readonly #server: ServerProcess
  readonly #visitors: readonly Visitor[]
  /** MB of resident memory after a page, at most. */
  loaded = 0

  private constructor(server: ServerProcess, prepared: Prepared, visitors: readonly Visitor[]) {
    this.#server = server
    this.prepared = prepared
    this.#visitors = visitors
  }

  static async start(prepared: Prepared): Promise<Running> {
    const { subject, command } = prepared
    const flags = profiles === undefined ? [] : profileArguments(profiles)
    const args = [...flags, ...command.args]
    const server = await ServerProcess.start({ ...command, args })
    const visitors = Array.from(
      { length: Number(options.connections) },
      (_, number) => new Visitor(server.port, subject.dialect, number),
    )
    return new Running(server, prepared, visitors)
  }

  /** Begins the visitors' sessions. */
  async enter(): Promise<void> {
    const [create, form] = ['create', 'form'].map((name) =>
      pages.find((page) => page.name === name)!,
    )
    for (const visitor of this.#visitors) {
      await visitor.connect()
      await visitor.enter(create!, form!)
      visitor.leave()
    }
    await restore(this.prepared.database)
  }

  async measure(page: Page, millis: number): Promise<Cost> {
    await Promise.all(this.#visitors.map((visitor) => visitor.connect()))
    await pinBackends(this.prepared.database)
    const times: number[] = []
    const before = this.#server.cpu()
    const began = performance.now()
    const ends = began + millis
    await Promise.all(
      this.#visitors.map(async (visitor) => {
        const request = visitor.requestFor(page)
        for (let sent = performance.now(); sent < ends;) {
          await visitor.visit(page, request)
          const now = performance.now()
          times.push(now - sent)
          sent = now
        }
      }),
    )
    const seconds = (performance.now() - began) / 1000
    const cpu = (this.#server.cpu() - before) / times.length
    this.loaded = Math.max(this.loaded, this.#server.rss())
    for (const visitor of this.#visitors) visitor.leave()
    if (page.name === 'create') await restore(this.prepared.database)
    if (page.isLogin === true)
      await run(this.prepared.database, 'truncate logins, fw_attempts, fw_sessions cascade')
    times.sort((a, b) => a - b)
    const at = (share: number): number => times[Math.floor(times.length * share)]!
    return { cpu, p50: at(0.5), p99: at(0.99), perSecond: times.length / seconds }
  }

  end(): Promise<void> {
    return this.#server.end()
  }
}

const costs = new Map<string, Map<string, Cost[]>>(
  chosenPages.map(({ name }) => [name, new Map(chosen.map((subject) => [subject.name, []]))]),
)
const starts = new Map<string, Start[]>(chosen.map(({ name }) => [name, []]))
const loaded = new Map<string, number>()

async function measureStart({ subject, command }: Prepared): Promise<void> {
  const server = await ServerProcess.start(command)
  await sleep(500)
  starts.get(subject.name)!.push({ millis: server.startedIn, idle: server.rss() })
  await server.end()
}

/** Measures every page of every subject once, and calls `keep` with the costs. */
async function visitAll(
  order: readonly Running[],
  millis: number,
  keep: (page: string, subject: string, cost: Cost) => void,
): Promise<void> {
  for (const page of chosenPages) {
    for (const one of order) {
      const { subject } = one.prepared
      if (subject.pages.includes(page.name))
        keep(page.name, subject.name, await one.measure(page, millis))
    }
  }
}

async function measureAll(all: readonly Prepared[]): Promise<void> {
  // Rotate the order, so that no subject always follows the same one.
  const rotate = <T>(list: readonly T[], round: number): T[] =>
    list.map((_, at) => list[(at + round) % list.length]!)
  for (let round = 0; round < rounds; round++)
    for (const prepared of rotate(all, round)) await measureStart(prepared)
  const running: Running[] = []
  try {
    for (const prepared of all) running.push(await Running.start(prepared))
    for (const one of running) if (one.prepared.subject.pages.includes('form')) await one.enter()
    await visitAll(running, Number(options['warm-up']), () => {})
    for (let round = 0; round < rounds; round++) {
      await visitAll(rotate(running, round), Number(options.millis), (page, subject, cost) =>
        costs.get(page)!.get(subject)!.push(cost),
      )
      console.error(`round ${round + 1}`)
    }
    for (const one of running) loaded.set(one.prepared.subject.name, one.loaded)
  } finally {
    for (const one of running) await one.end()
  }
}

const medianOf = <T>(all: readonly T[], part: (one: T) => number): number =>
  estimate(all.map(part)).median

interface Results {
  readonly processes: Record<string, object>
  readonly pages: Record<string, Record<string, object>>
}

/** Replaces the measured pages and processes in the file, and keeps the other ones. */
function writeResults(): void {
  const previous: Partial<Results> = existsSync(options.results)
    ? (JSON.parse(readFileSync(options.results, 'utf8')) as Results)
    : {}
  const results = {
    date: new Date().toISOString(),
    node: process.version,
    machine: `${cpus().length} × ${cpus()[0]!.model}`,
    connections: Number(options.connections),
    processes: { ...previous.processes },
    pages: { ...previous.pages },
  }
  for (const { name, packages, folder } of chosen) {
    const all = starts.get(name)!
    results.processes[name] = {
      version: packages[0] === undefined ? process.version : versionOf(packages[0], folder),
      install: Math.round(installSize(packages, folder) / megabyte),
      start: Math.round(medianOf(all, ({ millis }) => millis)),
      idle: Math.round(medianOf(all, ({ idle }) => idle)),
      loaded: Math.round(loaded.get(name)!),
      rounds: all.length,
    }
  }
  for (const [page, of] of costs) {
    const measured: Record<string, object> = (results.pages[page] = { ...results.pages[page] })
    const own = of.get('fw')
    for (const [subject, all] of of) {
      if (all.length === 0) continue
      measured[subject] = {
        cpu: Number(medianOf(all, ({ cpu }) => cpu).toFixed(1)),
        p50: Number(medianOf(all, ({ p50 }) => p50).toFixed(2)),
        p99: Number(medianOf(all, ({ p99 }) => p99).toFixed(2)),
        perSecond: Math.round(medianOf(all, ({ perSecond }) => perSecond)),
        rounds: all.length,
        ...(own !== undefined && own.length === all.length && subject !== 'fw'
          ? { ratio: estimate(all.map(({ cpu }, round) => cpu / own[round]!.cpu)) }
          : {}),
      }
    }
  }
  writeFileSync(options.results, `${JSON.stringify(results, undefined, 2)}\n`)
}

function table(): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const names = chosen.map(({ name }) => name)
  const head = (title: string): string[] => [
    row([title, ...names]),
    row(['---', ...names.map(() => '---')]),
  ]
  const cell = (
    page: string,
    subject: string,
    format: (all: readonly Cost[]) => string,
  ): string => {
    const all = costs.get(page)!.get(subject)!
    return all.length === 0 ? '' : format(all)
  }
  const part = (all: readonly Cost[], of: (cost: Cost) => number, digits = 0): string =>
    medianOf(all, of).toFixed(digits)
  const pageRows = (format: (all: readonly Cost[], page: string) => string): string[] =>
    [...costs.keys()].map((page) =>
      row([page, ...names.map((name) => cell(page, name, (all) => format(all, page)))]),
    )
  const ratioTo = (all: readonly Cost[], page: string): string => {
    const own = costs.get(page)!.get('fw')
    if (own === undefined || own.length === 0) return ''
    const { median, low, high } = estimate(all.map(({ cpu }, round) => cpu / own[round]!.cpu))
    return `, ${median.toFixed(2)} × (${low.toFixed(2)}–${high.toFixed(2)})`
  }
  const start = (title: string, of: (one: Start) => number): string =>
    row([title, ...names.map((name) => medianOf(starts.get(name)!, of).toFixed(0))])
  return [
    ...head('CPU µs, ÷ fw'),
    ...pageRows((all, page) => `${part(all, ({ cpu }) => cpu)}${ratioTo(all, page)}`),
    '',
    ...head('p50 / p99 ms'),
    ...pageRows((all) => `${part(all, ({ p50 }) => p50, 1)} / ${part(all, ({ p99 }) => p99, 1)}`),
    '',
    ...head('requests per second'),
    ...pageRows((all) => part(all, ({ perSecond }) => perSecond)),
    '',
    ...head('process'),
    start('start to first answer, ms', ({ millis }) => millis),
    start('RSS idle, MB', ({ idle }) => idle),
    row(['RSS under load, MB', ...names.map((name) => loaded.get(name)!.toFixed(0))]),
    row([
      'install, MB',
      ...chosen.map(({ packages, folder }) =>
        (installSize(packages, folder) / megabyte).toFixed(0),
      ),
    ]),
  ].join('\n')
}

if (chosen.some(({ checkout }) => checkout === undefined)) installPeers()
for (const { checkout } of chosen) if (checkout !== undefined) buildPackage(checkout)
pin(process.pid, loadCore)
const all: Prepared[] = []
try {
  for (const subject of chosen) all.push(await prepareSubject(subject))
  for (const { subject, command, database } of all) {
    if (!subject.pages.includes('form')) continue
    const server = await ServerProcess.start(command)
    try {
      await compareAnswers(server.port, subject.dialect, () => countRows(database))
    } catch (error) {
      throw new Error(`${subject.name} answers differently`, { cause: error })
    } finally {
      await server.end()
    }
    await restore(database)
  }
  await measureAll(all)
  if (profiles === undefined && options.base === undefined) writeResults()
} finally {
  for (const { subject, command, database, drop } of all) {
    await database.close()
    await drop()
    if (subject.checkout !== undefined) await removeFolder(command.cwd)
  }
}
console.log(table())
if (profiles !== undefined) console.log(`\n${describeProfile(profiles)}`)
