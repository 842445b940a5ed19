/** `ConfigurationError`: lists the problems of a configuration with the source locations of the wrong values. */
import { FwError } from '../base.ts'

/** A source location; line and column count from 1. */
export interface Origin {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A problem of the configuration. `origin` is `undefined` if no line of a file causes the problem. */
export interface ConfigProblem {
  readonly origin: Origin | undefined
  readonly text: string
}

/** Formats a source location as `file:line:column`, which editors and terminals show as a link. */
export function formatOrigin({ file, line, column }: Origin): string {
  return `${file}:${line}:${column}`
}

const formatProblem = ({ origin, text }: ConfigProblem): string =>
  origin === undefined ? text : `${formatOrigin(origin)}  ${text}`

/** The error of an invalid configuration, with the code `config.invalid`. Its message lists every problem. */
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
