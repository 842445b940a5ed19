/** A copy of examples/members in a folder of its own, and `fw run` of it as a process of its own. */
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
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { sourceFlags, visibleEnvironment } from './environment.ts'

const repository = resolve(import.meta.dirname, '../..')
const source = join(repository, 'examples/members')
const made = new Set(['.fw', 'data', 'data.lock', 'node_modules'])

/** A file of the copy, the text to replace (it must be there), and what stands in its place. */
export type Change = readonly [file: string, from: string, to: string]

/** The copy's folder; `removeExample` takes it away. */
export function copyExample(...changes: readonly Change[]): string {
  const root = mkdtempSync(join(tmpdir(), 'fw-example-'))
  cpSync(source, root, { recursive: true, filter: (path) => !made.has(basename(path)) })
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

/** A copy that has its database: the first start, which makes it and takes its time, is done once for a test file. */
export async function copyStartedExample(...changes: readonly Change[]): Promise<string> {
  // One that failed is tried again: another file's tests may have found the machine in a better state.
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
  process.once('exit', () => removeExample(root))
  const running = await runExample(root)
  await running.process.end()
  return root
}

/** `undefined`, of a set-up that failed, is nothing to remove. */
export function removeExample(root: string | undefined): void {
  if (root !== undefined) rmSync(root, { recursive: true, force: true })
}

const main = join(repository, 'src/cli/main.ts')

type Environment = Readonly<Record<string, string>>

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ProcessOptions {
  readonly env?: Environment
  /** `fw` when absent, from the sources and without the launcher. */
  readonly script?: string
  /** This Node when absent. */
  readonly runtime?: string
}

/** A process and what it says on both its outputs. */
export class ExampleProcess {
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  #said = ''
  #heard: (() => void)[] = []

  constructor(args: readonly string[], { env, script, runtime }: ProcessOptions = {}) {
    const own = [...sourceFlags, '--disable-warning=ExperimentalWarning']
    const flags = [...(runtime === undefined ? own : ['--conditions=fwjs-source']), script ?? main]
    this.#child = spawn(runtime ?? process.execPath, [...flags, ...args], {
      cwd: repository,
      env: { ...visibleEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => this.#hear(text))
    this.ended = new Promise((ended, failed) => {
      this.#child.once('error', failed)
      this.#child.once('close', (code, signal) => {
        ended({ code, signal })
        this.#hear('')
      })
    })
  }

  get pid(): number {
    return this.#child.pid!
  }

  get said(): string {
    return this.#said
  }

  /** The first match in what it says; fails when it ends without. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#said)
      if (found !== null) return found
      const { exitCode, signalCode } = this.#child
      if (exitCode !== null || signalCode !== null)
        throw new Error(`ended (${exitCode ?? signalCode}) without ${pattern}:\n${this.#said}`)
      await new Promise<void>((heard) => this.#heard.push(heard))
    }
  }

  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.#child.kill(signal)
    return this.ended
  }

  #hear(text: string): void {
    this.#said += text
    for (const heard of this.#heard.splice(0)) heard()
  }
}

export interface Running {
  readonly process: ExampleProcess
  readonly url: string
}

/** `fw run` on a free port, once it listens. */
export function runExample(root: string, env: Environment = {}): Promise<Running> {
  return listening(new ExampleProcess(['run', '--app', root, '--port', '0'], { env }))
}

/** Once the process has said where it listens. */
export async function listening(child: ExampleProcess): Promise<Running> {
  try {
    const [, url] = await child.says(/listening on (http:\/\/\S+)/)
    return { process: child, url: url! }
  } catch (error) {
    await child.end('SIGKILL')
    throw error
  }
}

/** The lock beside the data folder, by which a second process knows the first. */
export const lockFile = (root: string): string => join(root, 'db/data.lock')
export const isLocked = (root: string): boolean => existsSync(lockFile(root))
