/** Converts offsets in a template to lines and columns, and creates errors at these positions. */
import { FwError } from '../../runtime/base.ts'

/** A line and column, both counted from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Replaces the text of a template from `start` to `end`. */
export interface Edit {
  readonly start: Position
  readonly end: Position
  readonly text: string
}

/** A mistake in a template. `fix` replaces offsets of its text. */
export interface Problem {
  readonly offset: number
  readonly reason: string
  readonly fix?: readonly { readonly start: number; readonly end: number; readonly text: string }[]
}

/** An error that the compiler finds in a template. The message contains the position, the source line and a caret. */
export class TemplateError extends FwError {
  override readonly name = 'TemplateError'
  /** The template's path below `WEB-INF/`. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** The message without the position and source line: what is wrong, and how to fix it. */
  readonly reason: string
  readonly frame: string
  /** The edits that correct the mistake; absent if only the author can decide. */
  readonly fix?: readonly Edit[]
  /** Further mistakes that the compiler has found at the same time. The message names their positions. */
  readonly others: readonly TemplateError[]

  constructor(
    file: string,
    position: Position,
    reason: string,
    frame: string,
    { fix, others = [] }: Partial<Pick<TemplateError, 'fix' | 'others'>> = {},
  ) {
    const { line, column } = position
    const also = others.length === 0 ? '' : `; also at ${listPlaces(others)}`
    super('view.syntax', `WEB-INF/${file}:${line}:${column} ${reason}${also}\n${frame}`)
    this.file = file
    this.line = line
    this.column = column
    this.reason = reason
    this.frame = frame
    this.others = others
    if (fix !== undefined) this.fix = fix
  }
}

function listPlaces(errors: readonly Position[]): string {
  const places = errors.map(({ line, column }) => `${line}:${column}`)
  return places.join(', ').replace(/, (?=[^,]*$)/, ' and ')
}

/** Returns the offset at which each line of `text` starts. */
export function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** Returns the line and column of an offset. `starts` is the result of `lineStarts`. */
export function positionIn(starts: readonly number[], offset: number): Position {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]! <= offset) low = middle
    else high = middle - 1
  }
  return { line: low + 1, column: offset - starts[low]! + 1 }
}

/** Returns the source line, and below it a caret at the column. */
export function sourceFrame(text: string, { line, column }: Position): string {
  const content = (text.split('\n', line)[line - 1] ?? '').replace(/\r$/, '')
  const number = String(line)
  const indent = content
    .slice(0, column - 1)
    .replace(/[^\t]/g, ' ')
    .padEnd(column - 1)
  return `  ${number} | ${content}\n  ${' '.repeat(number.length)} | ${indent}^`
}

/** A template's text. Converts offsets to positions and creates errors. */
export class TemplateSource {
  readonly file: string
  readonly text: string
  readonly starts: readonly number[]

  constructor(file: string, text: string) {
    this.file = file
    this.text = text
    this.starts = lineStarts(text)
  }

  /** Matches a sticky pattern at an offset. */
  match(pattern: RegExp, offset: number): RegExpExecArray | null {
    pattern.lastIndex = offset
    return pattern.exec(this.text)
  }

  position(offset: number): Position {
    return positionIn(this.starts, offset)
  }

  /** Returns `line:column`, for an error message that mentions a second position. */
  place(offset: number): string {
    const { line, column } = this.position(offset)
    return `${line}:${column}`
  }

  error(offset: number, reason: string): TemplateError {
    return this.errorOf([{ offset, reason }])
  }

  /** Returns the error of the first of several mistakes, which contains those of the others. */
  errorOf([first, ...others]: readonly [Problem, ...Problem[]]): TemplateError {
    const position = this.position(first.offset)
    const frame = sourceFrame(this.text, position)
    return new TemplateError(this.file, position, first.reason, frame, {
      others: others.map((one) => this.errorOf([one])),
      ...(first.fix && {
        fix: first.fix.map(({ start, end, text }) => ({
          start: this.position(start),
          end: this.position(end),
          text,
        })),
      }),
    })
  }
}

/** Applies the edits of mistakes to the file in which they were found. Mistakes without a fix stay. */
export function applyFixes(
  content: string,
  mistakes: readonly { readonly fix?: readonly Edit[] }[],
): string {
  // Positions do not count a byte order mark.
  const text = content.replace(/^\ufeff/, '')
  const starts = lineStarts(text)
  const offset = ({ line, column }: Position): number => starts[line - 1]! + column - 1
  let fixed = text
  const edits = mistakes.flatMap(({ fix = [] }) => fix)
  for (const edit of edits.sort((one, other) => offset(other.start) - offset(one.start)))
    fixed = fixed.slice(0, offset(edit.start)) + edit.text + fixed.slice(offset(edit.end))
  return content.slice(0, content.length - text.length) + fixed
}
