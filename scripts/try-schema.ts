/**
 * Tries the reverse generators on a schema: `node --conditions=fwjs-source scripts/try-schema.ts schema.sql`. It loads the
 * schema, generates an application, runs `fw check` and the tests of a sample of resources, and compares the catalogs after
 * the baseline. Prints a line for each step and for each cause of a failure. `--server postgres://…` uses new databases of a
 * server instead of the embedded database; `--tests 5` limits the resources whose tests run; `--keep` keeps the application.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { currentTransaction, migrate, openDatabase, type Database } from '../src/runtime/db.ts'
import { emptyDatabaseOn } from '../src/runtime/db/test-server.fixture.ts'
import {
  fw,
  generateFromDatabase,
  linkSources,
  newFolder,
  removeFolder,
} from '../test/generate/folder.ts'
import { readCatalogue } from '../test/support/catalogue.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: 'string' },
    tests: { type: 'string', default: '5' },
    keep: { type: 'boolean', default: false },
  },
})
const [file] = positionals
if (file === undefined)
  throw new Error('Name the file of a schema: scripts/try-schema.ts schema.sql')

interface Opened {
  readonly database: Database
  readonly url: string | undefined
  readonly close: () => Promise<void>
}

async function openEmpty(): Promise<Opened> {
  if (values.server === undefined) {
    const database = await openDatabase({ kind: 'pglite', folder: 'memory' })
    return { database, url: undefined, close: () => database.close() }
  }
  const { url, drop } = await emptyDatabaseOn('schema', values.server)
  const database = await openDatabase({ kind: 'postgres', url, statementTimeout: 0 })
  const close = async () => {
    await database.close()
    await drop()
  }
  return { database, url, close }
}

let failures = 0
function report(step: string, causes: readonly string[], result: string): void {
  console.log(`${step}: ${causes.length === 0 ? result : `${causes.length} failures`}`)
  const counts = new Map<string, number>()
  for (const cause of causes) counts.set(cause, (counts.get(cause) ?? 0) + 1)
  for (const [cause, count] of counts) console.log(`  ${count} × ${cause.slice(0, 300)}`)
  failures += causes.length
}

/** Runs a step; an error is its only cause of failure. Returns `undefined` after an error. */
async function tryStep<T>(step: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    report(step, [error instanceof Error ? error.message : String(error)], '')
    return undefined
  }
}

/** Removes file names and numbers, so that equal causes have equal texts. */
const generalize = (line: string): string =>
  line.replace(/^\S*\.(?:ts|ssp)(?::\d+)*:? */, '').replace(/\d+(?:\.\d+)?(?: ?ms)?/g, 'N')

async function generate(database: Database, root: string): Promise<void> {
  const start = performance.now()
  const { files, notes } = await generateFromDatabase(root, database)
  const time = ((performance.now() - start) / 1000).toFixed(1)
  report('reverse', [], `${files.length} files in ${time} s, ${notes.length} notes`)
}

async function check(root: string): Promise<void> {
  const { code, said } = await fw(root, 'check')
  const mistakes = said.split('\n').filter((line) => /\.(?:ts|ssp):\d+/.test(line))
  const causes = mistakes.length === 0 && code !== 0 ? [said.trim().slice(-300)] : mistakes
  report('check', causes.map(generalize), 'no mistakes')
}

async function runTests(root: string, url: string | undefined): Promise<void> {
  const folder = join(root, 'src/test/controller')
  const files = readdirSync(folder).filter((name) => name !== 'root-controller.test.ts')
  const step = Math.max(1, Math.floor(files.length / Number(values.tests)))
  const sample = files.filter((_, index) => index % step === 0).slice(0, Number(values.tests))
  if (sample.length === 0) return report('test', [], 'no resources')
  const env: Record<string, string> = url === undefined ? {} : { FW_TEST_DATABASE_URL: url }
  const paths = sample.map((name) => `src/test/controller/${name}`)
  const { code, said } = await fw({ cwd: root, env }, 'test', ...paths)
  const errors = said.split('\n').filter((line) => /^\s*(?:\[?\w*Error\b|error: )/.test(line))
  const causes = errors.length === 0 && code !== 0 ? [said.trim().slice(-300)] : errors
  report(
    'test',
    code === 0 ? [] : causes.map((line) => generalize(line.trim())),
    `${sample.length} resources pass`,
  )
}

async function compareBaseline(database: Database, root: string): Promise<void> {
  const other = await openEmpty()
  try {
    const applied = await tryStep('baseline', () =>
      migrate(other.database, join(root, 'db/migration')),
    )
    if (applied === undefined) return
    await other.database.query({ sql: 'drop table fw_schema_migrations', parameters: [] })
    const [before, after] = [await readCatalogue(database), await readCatalogue(other.database)]
    const causes = Object.entries(before).flatMap(([catalog, rows]) => [
      ...rows
        .filter((row) => !after[catalog]!.includes(row))
        .map((row) => `missing in ${catalog}: ${row}`),
      ...after[catalog]!.filter((row) => !rows.includes(row)).map(
        (row) => `added to ${catalog}: ${row}`,
      ),
    ])
    report('baseline', causes, `${Object.values(before).flat().length} equal rows of catalogs`)
  } finally {
    await other.close()
  }
}

const { database, url, close } = await openEmpty()
const root = newFolder()
try {
  const sql = readFileSync(file, 'utf8').replaceAll(/^\\(?:un)?restrict .*$/gm, '')
  const loaded = await tryStep('load', async () => {
    await database.transaction(() => currentTransaction()!.script(`${sql};\nreset search_path`))
    return true
  })
  if (
    loaded === true &&
    (await tryStep('reverse', () => generate(database, root).then(() => true)))
  ) {
    linkSources(root)
    await check(root)
    await runTests(root, url)
    await compareBaseline(database, root)
  }
} finally {
  await close()
  if (values.keep) console.log(`kept ${root}`)
  else await removeFolder(root)
}
process.exitCode = failures === 0 ? 0 : 1
