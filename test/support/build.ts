/**
 * Before the suites: what is built from the sources is as new as they are. Applications in tests run on the sources, and
 * are type-checked against the built declarations, as users' are: that takes a third of the time.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const dist = join(root, 'dist')
const sources = ['src', 'tsconfig.json', 'tsconfig.build.json', 'package.json']
/** Where a build that is killed leaves nothing that is seen, or packed. */
const draft = join(root, `node_modules/.cache/dist.${process.pid}`)

export function setup(): void {
  const changed = Math.max(...sources.map((path) => newest(join(root, path))))
  if (existsSync(dist) && changed <= statSync(dist).mtimeMs) return
  const began = new Date()
  rmSync(draft, { recursive: true, force: true })
  const { status, stdout, error } = spawnSync(
    join(root, 'node_modules/.bin/tsc'),
    ['--project', join(root, 'tsconfig.build.json'), '--outDir', draft],
    { encoding: 'utf8' },
  )
  if (status !== 0) {
    rmSync(draft, { recursive: true, force: true })
    const message = `fwjs does not build:\n${stdout}`
    // At hand, a suite beside the mistake can be run: what it type-checks then is the older build.
    if (!existsSync(dist) || process.env['CI']) throw new Error(message, { cause: error })
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

/** Of a file, or of all files and folders below, so that one that is gone counts too. */
function newest(path: string): number {
  const own = statSync(path)
  if (!own.isDirectory()) return own.mtimeMs
  const below = readdirSync(path, { recursive: true, encoding: 'utf8' })
  return Math.max(own.mtimeMs, ...below.map((name) => statSync(join(path, name)).mtimeMs))
}
