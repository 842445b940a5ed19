/** Finds the lines of a migration file that Fw reads: `-- down`, `-- no transaction` and `-- squashes`. */
import type { ScriptProblem } from './check-script.ts'
import type { SqlComment, SqlRange, SqlScript } from './sql-script.ts'

export interface MigrationLines {
  /** The line `-- down`, below which the reversal begins. */
  readonly down: SqlRange | undefined
  readonly isWithoutTransaction: boolean
  /** The versions in the line `-- squashes`. */
  readonly squashes: readonly number[] | undefined
  /** The first line that is almost one of these lines, or stands in a wrong place. */
  readonly problem: ScriptProblem | undefined
}

/** A line: its exact text, and the beginning of texts that are probably meant to be this line. */
interface LineKind {
  readonly text: string
  readonly exact: RegExp
  readonly almost: RegExp
}

const downLine: LineKind = {
  text: '-- down',
  exact: /^--[ \t]*down[ \t]*$/i,
  almost: /^(?:[^\w\n\r]|_)*down\b/i,
}
const transactionLine: LineKind = {
  text: '-- no transaction',
  exact: /^--[ \t]*no transaction[ \t]*$/i,
  almost: /^(?:[^\w\n\r]|_)*no[\W_]*transaction\b/i,
}
/** The words by which others divide a file, between two statements: the reversal would run at once. */
const otherDivider = /^[\W_]*(?:undo|rollback|revert)[\W_]*$/i
const squashLine = /^--[ \t]*squashes((?:[ \t]+\d{1,15})+)[ \t]*$/

/** Finds the lines outside of quotes, bodies and parentheses. `text` is the whole file. */
export function findMigrationLines(text: string, { comments }: SqlScript): MigrationLines {
  const whole = (kind: LineKind): SqlComment[] =>
    comments.filter((comment) => kind.exact.test(slice(text, comment)) && isAlone(text, comment))
  const [down, secondDown] = whole(downLine)
  const withoutTransaction = whole(transactionLine)
  const squashed = comments.find(
    (comment) => comment.statementsBefore === 0 && squashLine.test(slice(text, comment)),
  )
  const late = withoutTransaction.find(({ statementsBefore }) => statementsBefore > 0)
  const problems = [
    secondDown && { at: secondDown.start, reason: "there is a second line '-- down': remove one" },
    late && {
      at: late.start,
      reason: "the line '-- no transaction' must stand before the first statement: move it there",
    },
    findAlmost(text, comments, downLine),
    findOtherDivider(text, comments, down),
    findAlmost(text, comments, transactionLine),
  ]
  return {
    down,
    isWithoutTransaction: withoutTransaction.length > 0,
    squashes: squashed && slice(text, squashed).match(/\d+/g)!.map(Number),
    problem: problems.find((problem) => problem !== undefined),
  }
}

const slice = (text: string, { start, end }: SqlRange): string => text.slice(start, end)

/** Whether only blanks stand before the comment in its line. */
function isAlone(text: string, { start }: SqlComment): boolean {
  let at = start - 1
  while (text[at] === ' ' || text[at] === '\t') at--
  return at === -1 || text[at] === '\n' || text[at] === '\r'
}

function findAlmost(text: string, comments: readonly SqlComment[], kind: LineKind) {
  const { exact, almost } = kind
  const found = comments.find((comment) => {
    const content = slice(text, comment)
    if (!almost.test(content)) return false
    // A comment behind a statement is a remark, unless it consists of these words alone.
    if (!isAlone(text, comment)) return !/\w/.test(content.replace(almost, ''))
    return !exact.test(content)
  })
  if (found === undefined) return undefined
  const reason = `this comment is almost the line '${kind.text}': write exactly that as a line of its own, or begin the comment with another word. A file that another database has applied must not change: run fw db:squash on that database instead`
  return { at: found.start, reason }
}

function findOtherDivider(
  text: string,
  comments: readonly SqlComment[],
  down: SqlComment | undefined,
): ScriptProblem | undefined {
  const found = comments.find(
    (comment) =>
      comment.statementsBefore > 0 &&
      otherDivider.test(slice(text, comment)) &&
      isAlone(text, comment),
  )
  if (found === undefined || down !== undefined) return undefined
  const reason = `a line '-- down' begins the reversal, but this comment is '${slice(text, found)}': write '-- down' instead, or a remark of several words`
  return { at: found.start, reason }
}
