/**
 * Global setup: creates an empty database to copy, and builds the sources if they changed. Applications in tests run
 * on the sources, and are type-checked against the built declarations, like users' applications: in a third of the time.
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
/** Builds go to a draft folder, so that a killed build is neither used nor packed. */
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
    // During development, unrelated suites can still run, with the previous build.
    if (!existsSync(dist) || process.env['CI']) throw new Error(message)
    process.stderr.write(`${message}\n`)
    return
  }
  // Use the start time, so that sources saved during the build are newer.
  utimesSync(draft, started, started)
  // Rename, so that concurrent readers get either the complete old build or the complete new one.
  const old = `${draft}.old`
  if (existsSync(dist)) renameSync(dist, old)
  renameSync(draft, dist)
  rmSync(old, { recursive: true, force: true })
}

/** Creates the template of embedded databases once, instead of in several workers concurrently. */
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

/** Resolves to the output if the command fails. */
function execute(command: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(command, args, (error, stdout, stderr) =>
      resolve(error === null ? undefined : `${error.message}\n${stdout}${stderr}`),
    )
  })
}

/** The newest modification time of a file, or of a folder and its content; a deletion changes that of its folder. */
function newestChange(path: string): number {
  const own = statSync(path)
  if (!own.isDirectory()) return own.mtimeMs
  const below = readdirSync(path, { recursive: true, encoding: 'utf8' })
  return Math.max(own.mtimeMs, ...below.map((name) => statSync(join(path, name)).mtimeMs))
}
