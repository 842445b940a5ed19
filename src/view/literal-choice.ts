/** `${active ? 'on' : 'off'}`, the most common expression of templates, can only print what the template says. */

/**
 * A condition, then two literals of letters, digits, spaces, `_` and `-`. The condition has nothing that could begin a
 * string, a comment, another choice or a function, no assignment, and no word that would take the choice for its own, as
 * a conditional type is: so the two literals are all the expression can be.
 */
const choice = new RegExp(
  [
    /^(?!.*\b(?:as|extends|satisfies|yield)\b.*\?)/,
    /(?:[\w$.()[\] \t]|[!<>&|+*-](?!=)|(?<![!=<>&|+*-])(?:[!=]==?|[<>]=)(?![=>]))+/,
    /\?\s*(['"])[\w -]*\1\s*:\s*(['"])[\w -]*\2\s*$/,
  ]
    .map(({ source }) => source)
    .join(''),
)

/** Whether the expression is a choice between two literals that mean nothing in HTML: it needs no escaper. */
export function isLiteralChoice(code: string): boolean {
  return choice.test(code)
}

/** The escapers of an expression, from the outermost on, without those that would change nothing. */
export function neededEscapers(code: string, escapers: readonly string[]): readonly string[] {
  const [outer, inner] = escapers
  const isHtml = inner === undefined && (outer === 'escapeText' || outer === 'escapeAttribute')
  return isHtml && isLiteralChoice(code) ? [] : escapers
}
