/**
 * Before the suites: what is built from the sources is as new as they are. Applications in tests run on the sources, and
 * are type-checked against the built declarations, as users' are: that takes a third of the time.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const dist = join(root, 'dist')

export function setup(): void {
  if (existsSync(dist) && newest(join(root, 'src')) <= statSync(dist).mtimeMs) return
  const draft = `${dist}.${process.pid}`
  const tsc = join(root, 'node_modules/.bin/tsc')
  const { status, stdout } = spawnSync(
    tsc,
    ['--project', join(root, 'tsconfig.build.json'), '--outDir', draft],
    { encoding: 'utf8' },
  )
  if (status !== 0) {
    rmSync(draft, { recursive: true, force: true })
    const message = `fwjs does not build:\n${stdout}`
    if (!existsSync(dist)) throw new Error(message)
    // The type check is what fails for it; meanwhile a suite beside the mistake can be run.
    process.stderr.write(`${message}\n`)
    return
  }
  // Renamed into its place: a process that reads meanwhile finds the old one or the new one, whole.
  const old = `${draft}.old`
  if (existsSync(dist)) renameSync(dist, old)
  renameSync(draft, dist)
  rmSync(old, { recursive: true, force: true })
}

/** Of all files and folders, so that one that is gone counts too. */
function newest(folder: string): number {
  const below = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const times = below.map((path) => statSync(join(folder, path)).mtimeMs)
  return Math.max(statSync(folder).mtimeMs, ...times)
}
