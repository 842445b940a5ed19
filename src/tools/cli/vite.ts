/** Runs Vite for applications with a `vite.config`: its development server for `fw run`, its build for `fw build`. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { globSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { FwError } from '../../runtime/base.ts'
import { forkProgram } from './application-process.ts'

/** The output folder in the configuration that `fw g vite` writes. Each build replaces the files of the previous build. */
const builtFolder = 'src/main/webapp/assets/built'

const longestStart = 30_000

export const usesVite = (root: string): boolean =>
  globSync('vite.config.{ts,mts,cts,js,mjs,cjs}', { cwd: root }).length > 0

/** Returns the path of a file in the application's package `vite`. @throws FwError `cli.vite-failed` */
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

export class ViteServer {
  /** The origin, such as `http://127.0.0.1:5173`. Rejects with an FwError `cli.vite-failed` if Vite does not start. */
  readonly origin: Promise<string>
  readonly #child: ChildProcess

  /** @throws FwError `cli.vite-failed` if Vite is not installed */
  constructor(root: string, startTimeout = longestStart) {
    this.#child = forkProgram('tools/cli/serve-vite', [root, findVite(root)])
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const fail = (problem: string): void => reject(new FwError('cli.vite-failed', problem))
    const timer = setTimeout(() => {
      this.#child.kill('SIGKILL')
      fail(
        `Vite has not started within ${startTimeout / 1000} s: find out what vite.config waits for.`,
      )
    }, startTimeout)
    this.#child.once('message', ({ origin }: { origin: string }) => resolve(origin))
    this.#child.once('exit', () => fail('Vite has ended: see its messages above.'))
    this.#child.once('error', ({ message }) => fail(`Vite cannot be started: ${message}`))
    this.origin = promise.finally(() => clearTimeout(timer))
    // Handle the rejection, because after `close` no caller may await the promise.
    this.origin.catch(() => {})
  }

  get isRunning(): boolean {
    return this.#child.connected
  }

  close(): void {
    this.#child.kill()
  }
}

/** Builds the files of the front end. Vite's output is printed to stderr. @throws FwError `cli.vite-failed` */
export async function buildWithVite(root: string): Promise<void> {
  const program = join(dirname(findVite(root, '/package.json')), 'bin/vite.js')
  rmSync(join(root, builtFolder), { recursive: true, force: true })
  const child = spawn(process.execPath, [program, 'build'], { cwd: root, stdio: ['ignore', 2, 2] })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0)
    throw new FwError('cli.vite-failed', 'Vite cannot build the front end: see its messages above.')
}
