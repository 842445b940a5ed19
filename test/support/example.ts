/** Copies an application of examples/ to a temporary folder and runs `fw run` there as a child process. */
import { type ChildProcess, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fwCommand, packageFlags, visibleEnvironment } from './environment.ts'

const repository = resolve(import.meta.dirname, '../..')
const generated = new Set(['.fw', 'data', 'data.lock', 'node_modules'])

/** A change to the copy: a file, the text to replace, which must exist, and the new text. */
export type Change = readonly [file: string, from: string, to: string]

/**
 * Copies the application examples/members with the given changes. Returns the copy's folder; `removeExample` deletes
 * it.
 */
export const copyExample = (...changes: readonly Change[]): string =>
  copyApplication('members', ...changes)

/** Copies an application of examples/ with the given changes. Returns the copy's folder; `removeExample` deletes it. */
export function copyApplication(name: string, ...changes: readonly Change[]): string {
  const root = mkdtempSync(join(tmpdir(), 'fw-example-'))
  const source = join(repository, 'examples', name)
  cpSync(source, root, { recursive: true, filter: (path) => !generated.has(basename(path)) })
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
  const tsconfig: Change = [
    'tsconfig.json',
    '"../../tsconfig.json"',
    JSON.stringify(join(repository, 'test/support/tsconfig.app.json')),
  ]
  for (const [file, from, to] of [tsconfig, ...changes]) {
    const text = readFileSync(join(root, file), 'utf8')
    if (!text.includes(from)) throw new Error(`${file} no longer holds ${JSON.stringify(from)}`)
    writeFileSync(
      join(root, file),
      text.replace(from, () => to),
    )
  }
  return root
}

let first: Promise<string> | undefined

/**
 * Copies the example together with its database. The first start, which creates the database, is slow and so runs only
 * once for each test file.
 */
export async function copyStartedExample(...changes: readonly Change[]): Promise<string> {
  // After a failure, the next call tries again, because the failure may be temporary.
  first ??= startOnce().catch((error: unknown) => {
    first = undefined
    throw error
  })
  const started = await first
  const root = copyExample(...changes)
  cpSync(join(started, 'db/data'), join(root, 'db/data'), { recursive: true })
  return root
}

async function startOnce(): Promise<string> {
  const root = copyExample()
  process.once('exit', () => rmSync(root, { recursive: true, force: true }))
  const running = await runExample(root)
  await running.process.end()
  return root
}

/**
 * Deletes the copy, again if the background process of a killed `fw run` writes there meanwhile: `rmSync` of Node 22 then
 * fails in spite of `maxRetries`. `root` is `undefined` if the setup of the test has failed.
 */
export async function removeExample(root: string | undefined): Promise<void> {
  if (root !== undefined) await rm(root, { recursive: true, force: true, maxRetries: 10 })
}

type Environment = Readonly<Record<string, string>>

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ProcessOptions {
  readonly env?: Environment
  /** The program that Node runs; default: the command line `fw`. */
  readonly script?: string
  /** The path of the JavaScript runtime; default: the Node of this process. */
  readonly runtime?: string
}

/** A child process, with its standard output and error output in one text. */
export class ExampleProcess {
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  #output = ''
  #waiting: (() => void)[] = []

  constructor(args: readonly string[], { env, script, runtime }: ProcessOptions = {}) {
    const program = script === undefined ? fwCommand : [...packageFlags, script]
    // Other runtimes do not know Node's flags.
    const command = runtime === undefined ? program : program.slice(-1)
    this.#child = spawn(runtime ?? process.execPath, [...command, ...args], {
      cwd: repository,
      env: { ...visibleEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => this.#append(text))
    this.ended = new Promise((ended, failed) => {
      this.#child.once('error', failed)
      this.#child.once('close', (code, signal) => {
        ended({ code, signal })
        this.#append('')
      })
    })
  }

  get pid(): number {
    return this.#child.pid!
  }

  get output(): string {
    return this.#output
  }

  /** Resolves to the first match in the output; rejects if the process ends without one. */
  async waitForOutput(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#output)
      if (found !== null) return found
      const { exitCode, signalCode } = this.#child
      if (exitCode !== null || signalCode !== null)
        throw new Error(`ended (${exitCode ?? signalCode}) without ${pattern}:\n${this.#output}`)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  /** Sends the signal and waits until the process ends. */
  end(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.#child.kill(signal)
    return this.ended
  }

  #append(text: string): void {
    this.#output += text
    for (const resume of this.#waiting.splice(0)) resume()
  }
}

export interface Running {
  readonly process: ExampleProcess
  readonly url: string
}

/** Starts `fw run` on a free port. Resolves when the application listens. */
export function runExample(root: string, env: Environment = {}): Promise<Running> {
  return listening(new ExampleProcess(['run', '--app', root, '--port', '0'], { env }))
}

/** Waits until the process has printed the URL on which it listens. */
export async function listening(child: ExampleProcess): Promise<Running> {
  try {
    const [, url] = await child.waitForOutput(/listening on (http:\/\/\S+)/)
    return { process: child, url: url! }
  } catch (error) {
    await child.end('SIGKILL')
    throw error
  }
}

/** Returns the path of the data folder's lock file, which contains the id of the process that uses the folder. */
export const lockFile = (root: string): string => join(root, 'db/data.lock')
export const isLocked = (root: string): boolean => existsSync(lockFile(root))
