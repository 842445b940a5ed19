/**
 * The copy of fwjs inside an application. While no registry serves fwjs, an application depends on a tarball in its own folder
 * `vendor`, so that it installs on every machine, and after the clone of Fw has moved.
 */
import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { FwError, packageFile } from '../../runtime/base.ts'
import { withProgress } from './terminal.ts'

const vendorFolder = 'vendor'

/** Whether a registry serves fwjs. `scripts/publication.ts` sets it. */
export const isPublished = (): boolean =>
  (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { published: boolean })
    .published

/** Returns the dependency on a tarball in the folder `vendor` of the application. */
export const vendoredDependency = (tarball: string): string =>
  `file:${vendorFolder}/${basename(tarball)}`

/** Copies a tarball into the folder `vendor` of the application. */
export function vendorTarball(tarball: string, root: string): void {
  mkdirSync(join(root, vendorFolder), { recursive: true })
  cpSync(tarball, join(root, vendorFolder, basename(tarball)))
}

/**
 * Packs the running fwjs, and calls `use` with the path of the tarball, which exists until `use` returns. A clone is built first;
 * an installed package is packed as it is.
 * @throws FwError `cli.package-failed`
 */
export async function withPackedFramework<T>(use: (tarball: string) => T): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'fw-pack-'))
  try {
    const script = packageFile('scripts/package.ts')
    const isClone = existsSync(script)
    process.stderr.write(`Packing ${isClone ? 'this clone of Fw' : 'fwjs'} for the application …\n`)
    await withProgress('packing fwjs', () =>
      isClone
        ? run(process.execPath, script, folder)
        : run('npm', 'pack', packageFile(''), '--pack-destination', folder, '--loglevel=error'),
    )
    const name = readdirSync(folder).find((file) => /^fwjs-.*\.tgz$/.test(file))!
    return use(join(folder, name))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function run(command: string, ...args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) => resolve(code === 0 ? '' : `exit code ${code}`))
  })
  const [failure, stdout, stderr] = await Promise.all([
    ended,
    text(child.stdout),
    text(child.stderr),
  ])
  if (failure === '') return
  const line = [command, ...args].join(' ')
  throw new FwError(
    'cli.package-failed',
    `fwjs cannot be packed for the application: ${line}: ${failure}\n${stdout}${stderr}`.trimEnd(),
  )
}
