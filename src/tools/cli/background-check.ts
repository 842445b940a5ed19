/** Checks types and templates in the background after each save under `fw run`. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { programFile } from '../../runtime/base.ts'
import type { Mistake } from '../dev.ts'

const program = programFile('tools/cli/main')
/** Requests and restarts take precedence. */
const lowPriority = 10
/** More are only counted. */
const maxShown = 5

/** A new save cancels the check of the one before. */
export class BackgroundCheck {
  readonly #root: string
  readonly #onResult: (mistakes: readonly Mistake[]) => void
  #running: ChildProcess | undefined

  constructor(root: string, onResult: (mistakes: readonly Mistake[]) => void) {
    this.#root = root
    this.#onResult = onResult
  }

  /** Does nothing in an application that the compiler cannot check. */
  start(): void {
    this.stop()
    if (!existsSync(join(this.#root, 'tsconfig.json'))) return
    const args = [...process.execArgv, program, 'check', '--json', '--app', this.#root]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
    this.#running = child
    if (child.pid !== undefined) lowerPriority(child.pid)
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.once('error', () => {})
    child.once('close', () => {
      if (this.#running !== child) return
      this.#running = undefined
      const mistakes = parseMistakes(output)
      if (mistakes !== undefined) this.#onResult(mistakes)
    })
  }

  stop(): void {
    const child = this.#running
    this.#running = undefined
    child?.kill()
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, lowPriority)
  } catch {
    // The process may have ended.
  }
}

/** `undefined` when the check itself failed, such as without an installed compiler. */
function parseMistakes(output: string): readonly Mistake[] | undefined {
  try {
    return JSON.parse(output) as readonly Mistake[]
  } catch {
    return undefined
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
