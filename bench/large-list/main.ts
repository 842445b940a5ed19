/**
 * The generated list over a large table: `npm run bench -- large-list [--rows 100000,1000000,5000000] [--rounds 21] [--index kind,search]`.
 *
 * 1. Generates a scaffold and creates its table as 48 partitions by month, with the indexes of the scaffold's migration.
 * 2. Starts the built application in production, and requests the JSON of the list: its first page, a page in the middle, the last
 *    one, with filters, and with searches.
 * 3. Creates the further indexes that the log names, and requests the pages again.
 *
 * The target: 10 ms a page, or a line in the log that names the missing index. The times are those of one client, and
 * contain HTTP. 50,000,000 rows take 9 GB and 3 minutes; `--index kind` leaves out the index of the search, which takes
 * longer. `DATABASE_URL` names the server in which it creates a database; `--database URL` uses an existing one, whose table
 * `events` it keeps.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { emptyDatabaseOn } from '../../src/runtime/db/test-server.fixture.ts'
import { removeFolder, visibleEnvironment } from '../../test/generate/folder.ts'
import { buildPackage } from '../build.ts'
import { buildAndMigrate, createApplication } from '../create-application.ts'
import { estimate } from '../http/statistics.ts'
import { furtherIndexes, tableOf } from './table.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000,1000000,5000000' },
    rounds: { type: 'string', default: '21' },
    index: { type: 'string', default: 'kind,search' },
    database: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const targetMillis = 10
/** Pages that take longer than the target are logged. */
const settings = `
secretKeyBase: DZb2p0xw3RkT9uVnQmYc7sLhEa1JgXo5
server:
  hosts: localhost
accessLog:
  enabled: false
db:
  default:
    slowQuery: ${targetMillis}ms
    statementTimeout: 60s
`

function createList(): string {
  const root = createApplication(
    'scaffold events event title:string kind:enum:sale,refund,transfer archived:boolean happenedOn:LocalDate',
  )
  const migrations = join(root, 'db/migration')
  for (const file of readdirSync(migrations)) writeFileSync(join(migrations, file), 'select 1;\n')
  writeFileSync(join(root, 'src/main/resources/application.yml'), settings)
  return root
}

interface Application {
  readonly child: ChildProcess
  readonly base: string
  readonly log: string[]
}

async function start(root: string, url: string): Promise<Application> {
  const env = { FW_ENV: 'production', DATABASE_URL: url }
  await buildAndMigrate(root, env)
  const main = join(root, 'node_modules/fwjs/dist/tools/cli/main.js')
  const child = spawn(process.execPath, [main, 'start', '--port', '0'], {
    cwd: root,
    env: { ...visibleEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const log: string[] = []
  const lines = createInterface({ input: child.stdout })
  const base = await new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      log.push(line)
      const port = /http:\/\/[^:]+:(\d+)/.exec(line)?.[1]
      if (port !== undefined) resolve(`http://localhost:${port}`)
    })
  })
  return { child, base, log }
}

interface Page {
  readonly millis: readonly number[]
  readonly status: number
  /** The query of the next page. */
  readonly next: string | undefined
  readonly count: number
  /** The index that the log names. */
  readonly index: string | undefined
}

async function request({ base, log }: Application, query: string): Promise<Page> {
  const millis: number[] = []
  let status = 0
  let next: string | undefined
  let count = 0
  log.length = 0
  // The first requests plan the statements.
  for (let round = -6; round < rounds; round++) {
    const began = performance.now()
    const response = await fetch(`${base}/events.json?${query}`)
    const body = await response.text()
    const took = performance.now() - began
    if (round >= 0) millis.push(took)
    status = response.status
    // A page that takes longer than `server.handlerTimeout` has a message instead of rows.
    count = response.ok ? (JSON.parse(body) as unknown[]).length : 0
    next = /<[^>]*\?([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    // A page of seconds needs no further rounds.
    if (took > 2000) {
      if (millis.length === 0) millis.push(took)
      break
    }
  }
  const findLine = () => log.findLast((text) => text.includes('slow page'))
  // The line of a page that exceeds `server.handlerTimeout` follows its response.
  if (millis.some((took) => took > targetMillis))
    for (let wait = 0; wait < 100 && findLine() === undefined; wait++) await setTimeout(20)
  const line = findLine()
  const index = line === undefined ? undefined : (JSON.parse(line) as { index: string }).index
  return { millis, status, next, count, index }
}

const queries: Readonly<Record<string, string>> = {
  'first page': '',
  'last page': 'before=',
  'many of a filter': 'kind=sale',
  'few of a filter': 'kind=refund',
  'two filters': 'kind=refund&archived=true',
  'search with many results': 'q=bafi',
  'search with few results': 'q=bafigo',
  'search without a result': 'q=nothing%20like%20it',
}

/** Returns whether each page is fast or has a message. */
async function measurePages(
  application: Application,
  rows: number,
  indexes: string,
): Promise<boolean> {
  let isReached = true
  // A page in the middle: the cursor of a title with a letter in the middle of the alphabet.
  const middle = await request(application, 'size=1&q=ka')
  for (const [name, query] of [
    ...Object.entries(queries),
    ['after a row', middle.next?.replace(/&?q=ka|size=1&?/g, '') ?? ''],
  ] as const) {
    const page = await request(application, query)
    const { median, low, high } = estimate(page.millis)
    const isFast = median <= targetMillis
    if (!isFast && page.index === undefined) isReached = false
    console.log(
      `${rows} rows, ${indexes}, ${name}: ${median.toFixed(1)} (${low.toFixed(1)}–${high.toFixed(1)}) ms, ${page.count} records` +
        `${page.status === 200 ? '' : `, status ${page.status}`}${isFast ? '' : `; the log names: ${page.index ?? 'nothing'}`}`,
    )
  }
  return isReached
}

async function run(client: pg.Client, statements: readonly string[]): Promise<void> {
  for (const sql of statements) await client.query(sql)
}

async function measure(rows: number, url: string, isFilled: boolean): Promise<boolean> {
  const client = new pg.Client(url)
  await client.connect()
  await run(client, ["set maintenance_work_mem = '512MB'", 'set synchronous_commit = off'])
  if (!isFilled) await run(client, tableOf(rows))
  const { rows: sizes } = await client.query<{ size: string }>(
    `select pg_size_pretty(sum(pg_total_relation_size(relid))) as size from pg_partition_tree('events')`,
  )
  console.log(`${rows} rows: ${sizes[0]!.size}`)
  const root = createList()
  const application = await start(root, url)
  let isReached = await measurePages(application, rows, 'generated indexes')
  for (const name of values.index.split(',').filter((one) => one !== '')) {
    const began = performance.now()
    await run(client, [...furtherIndexes[name]!, 'analyze events'])
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    console.log(`${rows} rows: index for ${name} created in ${seconds} s`)
  }
  if (values.index !== '')
    isReached = (await measurePages(application, rows, 'all indexes')) && isReached
  application.child.kill('SIGKILL')
  await once(application.child, 'exit')
  await removeFolder(root)
  await client.end()
  return isReached
}

buildPackage()
let isReached = true
for (const rows of values.rows.split(',').map(Number)) {
  const { url, drop } =
    values.database === undefined
      ? await emptyDatabaseOn('large_list_bench')
      : { url: values.database, drop: async () => {} }
  try {
    isReached = (await measure(rows, url, values.database !== undefined)) && isReached
  } finally {
    await drop()
  }
}
console.log(
  `${isReached ? 'reached' : 'MISSED'}: ${targetMillis} ms a page, or an index in the log; load ${loadavg()[0]!.toFixed(1)}`,
)
if (!isReached) process.exitCode = 1
