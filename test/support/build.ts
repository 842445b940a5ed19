/**
 * Before the suites: there is an empty database to copy, and what is built from the sources is as new as they are. Applications in tests run on the sources, and
 * are type-checked against the built declarations, as users' are: that takes a third of the time.
 */
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sourceFlags } from './environment.ts'

const root = resolve(import.meta.dirname, '../..')
const dist = join(root, 'dist')
const sources = ['src', 'tsconfig.json', 'tsconfig.build.json', 'package.json']
/** Where a build that is killed leaves nothing that is seen, or packed. */
const draft = join(root, `node_modules/.cache/dist.${process.pid}`)

export async function setup(): Promise<void> {
  const changed = Math.max(...sources.map((path) => newest(join(root, path))))
  if (existsSync(dist) && changed <= statSync(dist).mtimeMs) return
  await Promise.all([build(), makeCluster()])
}

async function build(): Promise<void> {
  const began = new Date()
  rmSync(draft, { recursive: true, force: true })
  const compiler = join(root, 'node_modules/.bin/tsc')
  const project = join(root, 'tsconfig.build.json')
  const failure = await execute(compiler, ['--project', project, '--outDir', draft])
  if (failure !== undefined) {
    rmSync(draft, { recursive: true, force: true })
    const message = `fwjs does not build:\n${failure}`
    // At hand, a suite beside the mistake can be run: what it type-checks then is the older build.
    if (!existsSync(dist) || process.env['CI']) throw new Error(message)
    process.stderr.write(`${message}\n`)
    return
  }
  // As old as what it was built from: a source that is saved meanwhile is newer.
  utimesSync(draft, began, began)
  // Renamed into its place: a process that reads meanwhile finds the old one or the new one, whole.
  const old = `${draft}.old`
  if (existsSync(dist)) renameSync(dist, old)
  renameSync(draft, dist)
  rmSync(old, { recursive: true, force: true })
}

/** The empty database that all embedded ones begin as: made here, no two workers make it at once. */
async function makeCluster(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fw-cluster-'))
  const script = `
    import { openDatabase } from ${JSON.stringify(pathToFileURL(join(root, 'src/db.ts')).href)}
    await (await openDatabase({ kind: 'pglite', folder: ${JSON.stringify(join(folder, 'data'))} })).close()`
  const failure = await execute(process.execPath, [
    ...sourceFlags,
    '--input-type=module',
    '--eval',
    script,
  ])
  rmSync(folder, { recursive: true, force: true })
  if (failure !== undefined) throw new Error(`No embedded database can be made:\n${failure}`)
}

/** What it printed, if it failed. */
function execute(command: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(command, args, (error, stdout, stderr) =>
      resolve(error === null ? undefined : `${error.message}\n${stdout}${stderr}`),
    )
  })
}

/** Of a file, or of all files and folders below, so that one that is gone counts too. */
function newest(path: string): number {
  const own = statSync(path)
  if (!own.isDirectory()) return own.mtimeMs
  const below = readdirSync(path, { recursive: true, encoding: 'utf8' })
  return Math.max(own.mtimeMs, ...below.map((name) => statSync(join(path, name)).mtimeMs))
}
