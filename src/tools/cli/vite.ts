/** Vite in an application with a `vite.config`: the development server for `fw run`, the build for `fw build`. */
import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { FwError, programFile } from '../../runtime/base.ts'

/** The output folder in the configuration of `fw g vite`. Each build replaces the files of the previous one. */
const builtFolder = 'src/main/webapp/assets/built'

export const usesVite = (root: string): boolean =>
  ['ts', 'mts', 'js', 'mjs'].some((ending) => existsSync(join(root, `vite.config.${ending}`)))

/** The path of a file in the application's package `vite`. @throws FwError `cli.vite-failed` */
function findVite(root: string, path = ''): string {
  try {
    return createRequire(join(root, 'package.json')).resolve(`vite${path}`)
  } catch (cause) {
    throw new FwError(
      'cli.vite-failed',
      `${root} has a configuration of Vite, but Vite is not installed: run npm install.`,
      { cause },
    )
  }
}

/** Vite's development server, in a child process. */
export class ViteServer {
  /** Resolves to the origin, such as `http://127.0.0.1:5173`; to undefined if Vite does not start. */
  readonly origin: Promise<string | undefined>
  readonly #child: ChildProcess

  /** @throws FwError `cli.vite-failed` without an installed Vite */
  constructor(root: string) {
    this.#child = fork(programFile('tools/cli/serve-vite'), [root, findVite(root)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.origin = new Promise((resolve) => {
      this.#child.once('message', ({ origin }: { origin: string }) => resolve(origin))
      this.#child.once('exit', () => resolve(undefined))
      this.#child.once('error', () => resolve(undefined))
    })
  }

  get isRunning(): boolean {
    return this.#child.connected
  }

  close(): void {
    this.#child.kill()
  }
}

/** Builds the files of the front end. Vite prints to stderr. @throws FwError `cli.vite-failed` */
export async function buildWithVite(root: string): Promise<void> {
  const program = join(dirname(findVite(root, '/package.json')), 'bin/vite.js')
  rmSync(join(root, builtFolder), { recursive: true, force: true })
  const child = spawn(process.execPath, [program, 'build'], { cwd: root, stdio: ['ignore', 2, 2] })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0)
    throw new FwError('cli.vite-failed', 'Vite cannot build the front end: see its messages above.')
}
