/** Generates `.fw` in the background under `fw run`, and checks types and templates after each save. */
import { fork, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { moduleFile } from '../../runtime/base.ts'
import type { Mistake } from '../dev.ts'

/** The priority of the checking process in the operating system: low, so that requests and restarts are faster. */
const lowPriority = 10
/** The maximum number of mistakes that are printed in full; further ones are only counted. */
const maxShown = 5

/** `changed` are the absolute paths of the files that have changed since the last task. */
export type BackgroundTask = { readonly changed: readonly string[] } | 'generate'

/** Runs the checks in one long-lived process. A new process for each save would have to load the template compiler again. */
export class BackgroundCheck {
  readonly #root: string
  readonly #onResult: (mistakes: readonly Mistake[]) => void
  #process: ChildProcess | undefined

  constructor(root: string, onResult: (mistakes: readonly Mistake[]) => void) {
    this.#root = root
    this.#onResult = onResult
  }

  /** Starts a check after files have changed, which also generates `.fw`, and cancels a running check. */
  start(changed: readonly string[]): void {
    this.#send({ changed })
  }

  /** Generates `.fw` for editors. Hundreds of templates take seconds, in which this process can serve pages. */
  generate(): void {
    this.#send('generate')
  }

  /** Does nothing in an application without a tsconfig.json, in which no program reads types. */
  #send(task: BackgroundTask): void {
    if (!existsSync(join(this.#root, 'tsconfig.json'))) return
    this.#process ??= this.#startProcess()
    // Ignore the error if the process has just ended: the next save starts a new process.
    this.#process.send(task, () => {})
  }

  stop(): void {
    const child = this.#process
    this.#process = undefined
    child?.kill()
  }

  #startProcess(): ChildProcess {
    const child = fork(moduleFile('tools/cli/check-process'), [this.#root], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    try {
      if (child.pid !== undefined) setPriority(child.pid, lowPriority)
    } catch {
      // The process may have ended already.
    }
    child.on('message', (mistakes) => {
      if (this.#process === child) this.#onResult(mistakes as readonly Mistake[])
    })
    const forget = (): void => {
      if (this.#process === child) this.#process = undefined
    }
    child.once('error', forget).once('exit', forget)
    return child
  }
}

/** Formats mistakes for the terminal, as `file:line:column message` with the source excerpt on the next lines. */
export function formatMistakes(mistakes: readonly Mistake[]): string {
  const shown = mistakes.slice(0, maxShown).map(({ file, line, column, message, ...one }) => {
    const below = one.frame === undefined ? '' : `\n${one.frame}`
    const severity = one.severity === undefined ? '' : `${one.severity}: `
    return `${file}:${line}:${column} ${severity}${message}${below}\n`
  })
  const more = mistakes.length - shown.length
  return shown.join('') + (more > 0 ? `and ${more} more: fw check shows them\n` : '')
}
