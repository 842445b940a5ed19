/** Checks types and templates in the background after each save under `fw run`. */
import { fork, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { programFile } from '../../runtime/base.ts'
import type { Mistake } from '../dev.ts'

const program = programFile('tools/cli/check-process')
/** Requests and restarts take precedence. */
const lowPriority = 10
/** More are only counted. */
const maxShown = 5

/** Checks in a process that stays: a new one would load and compile the template compiler again after each save. */
export class BackgroundCheck {
  readonly #root: string
  readonly #onResult: (mistakes: readonly Mistake[]) => void
  #process: ChildProcess | undefined

  constructor(root: string, onResult: (mistakes: readonly Mistake[]) => void) {
    this.#root = root
    this.#onResult = onResult
  }

  /** Cancels the check that is running. Does nothing in an application that the compiler cannot check. */
  start(): void {
    if (!existsSync(join(this.#root, 'tsconfig.json'))) return
    this.#process ??= this.#startProcess()
    // A process that has just ended cannot receive; the next save starts another.
    this.#process.send('check', () => {})
  }

  stop(): void {
    const child = this.#process
    this.#process = undefined
    child?.kill()
  }

  #startProcess(): ChildProcess {
    const child = fork(program, [this.#root], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    if (child.pid !== undefined) lowerPriority(child.pid)
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

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, lowPriority)
  } catch {
    // The process may have ended.
  }
}

/** `file:line:column message` with the excerpt below, for the terminal. */
export function formatMistakes(mistakes: readonly Mistake[]): string {
  const shown = mistakes.slice(0, maxShown).map(({ file, line, column, message, frame }) => {
    const below = frame === undefined ? '' : `\n${frame}`
    return `${file}:${line}:${column} ${message}${below}\n`
  })
  const more = mistakes.length - shown.length
  return shown.join('') + (more > 0 ? `and ${more} more: fw check shows them\n` : '')
}
