/** The problems of a configuration, with the locations of the values that cause them. */
import { FwError } from '../base.ts'

/** A location in a file; line and column count from 1. */
export interface Origin {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** One problem; its origin is `undefined` when no line of a file causes it. */
export interface ConfigProblem {
  readonly origin: Origin | undefined
  readonly text: string
}

/** `file:line:column`, which editors and terminals link. */
export function formatOrigin({ file, line, column }: Origin): string {
  return `${file}:${line}:${column}`
}

const formatProblem = ({ origin, text }: ConfigProblem): string =>
  origin === undefined ? text : `${formatOrigin(origin)}  ${text}`

/** The configuration is invalid, code `config.invalid`; lists every problem. */
export class ConfigurationError extends FwError {
  override readonly name = 'ConfigurationError'
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(formatProblem)
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
