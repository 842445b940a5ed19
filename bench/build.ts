/** Compiles the package: measured servers import `fwjs` as applications do, from `dist`. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Compiles the package of a checkout. @param root this one, by default */
export function buildPackage(root: string = join(import.meta.dirname, '..')): void {
  const args = ['scripts/build.ts']
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('the package does not compile')
}
