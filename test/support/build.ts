/**
 * Global setup of the tests: creates an empty database that tests copy, and builds `dist/` if the sources have changed.
 * Processes in tests run the build, which starts in half the time of the sources, and applications are type-checked against
 * its declarations, in a third of the time.
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
const sources = ['src', 'tsconfig.json', 'tsconfig.build.json', 'package.json', 'scripts/build.ts']
/** The folder to which a build writes first. A build that is killed thus leaves no incomplete `dist/`. */
const draft = join(root, `node_modules/.cache/dist.${process.pid}`)

export async function setup(): Promise<void> {
  const changed = Math.max(...sources.map((path) => newestChange(join(root, path))))
  if (existsSync(dist) && changed <= statSync(dist).mtimeMs) return
  await Promise.all([build(), makeCluster()])
}

async function build(): Promise<void> {
  const started = new Date()
  rmSync(draft, { recursive: true, force: true })
  const failure = await execute(process.execPath, [join(root, 'scripts/build.ts'), draft])
  if (failure !== undefined) {
    rmSync(draft, { recursive: true, force: true })
    const message = `fwjs does not build:\n${failure}`
    // During development, tests that do not need the change can still run with the previous build.
    if (!existsSync(dist) || process.env['CI']) throw new Error(message)
    process.stderr.write(`${message}\n`)
    return
  }
  // Give the build the time of its start, so that sources saved during the build count as newer.
  utimesSync(draft, started, started)
  // Rename the folder, so that a concurrent process reads either the complete old build or the complete new one.
  const old = `${draft}.old`
  if (existsSync(dist)) renameSync(dist, old)
  renameSync(draft, dist)
  rmSync(old, { recursive: true, force: true })
}

/**
 * Creates the cluster that embedded databases are copied from. Otherwise several test workers would create it at the
 * same time.
 */
async function makeCluster(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fw-cluster-'))
  const script = `
    import { openDatabase } from ${JSON.stringify(pathToFileURL(join(root, 'src/runtime/db.ts')).href)}
    await (await openDatabase({ kind: 'pglite', folder: ${JSON.stringify(join(folder, 'data'))} })).close()`
  const failure = await execute(process.execPath, [
    ...sourceFlags,
    '--input-type=module',
    '--eval',
    script,
  ])
  rmSync(folder, { recursive: true, force: true })
  if (failure !== undefined) throw new Error(`Cannot create an embedded database:\n${failure}`)
}

/** Runs a command. Resolves to its output if it fails, otherwise to `undefined`. */
function execute(command: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(command, args, (error, stdout, stderr) =>
      resolve(error === null ? undefined : `${error.message}\n${stdout}${stderr}`),
    )
  })
}

/**
 * Returns the newest modification time of a file, or of a folder and its content. Deleting a file also changes the time
 * of its folder.
 */
function newestChange(path: string): number {
  const own = statSync(path)
  if (!own.isDirectory()) return own.mtimeMs
  const below = readdirSync(path, { recursive: true, encoding: 'utf8' })
  return Math.max(own.mtimeMs, ...below.map((name) => statSync(join(path, name)).mtimeMs))
}
