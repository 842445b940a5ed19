/** What is wrong with a configuration, told all at once. */
import { FwError } from '../base.ts'
import type { Origin } from './key-tree.ts'

/** One thing that is wrong, and where it was written if it was. */
export interface ConfigProblem {
  readonly origin: Origin | undefined
  readonly text: string
}

/** `file:line:column`, as editors and terminals read it. */
export function placeOf({ file, line, column }: Origin): string {
  return `${file}:${line}:${column}`
}

function lineOf({ origin, text }: ConfigProblem): string {
  return origin === undefined ? text : `${placeOf(origin)}  ${text}`
}

/** The configuration cannot be used; lists every problem found, code `config.invalid`. */
export class ConfigurationError extends FwError {
  override readonly name = 'ConfigurationError'
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(lineOf)
    const [only] = lines
    super(
      'config.invalid',
      lines.length === 1
        ? `The configuration cannot be used: ${only}`
        : `The configuration has ${lines.length} problems:\n  ${lines.join('\n  ')}`,
    )
    this.problems = problems
  }
}
