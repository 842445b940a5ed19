/** Compiles the package: measured servers import `fwjs` as applications do, from `dist`. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

export function buildPackage(): void {
  const args = ['scripts/build.ts']
  const root = join(import.meta.dirname, '..')
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('the package does not compile')
}
