/** Decodes character references of static attribute values, where scripts, styles and URLs see the decoded text. */

/** What a reference stands for, and how many characters it takes. */
export interface Reference {
  readonly text: string
  readonly length: number
}

const shape = /&(?:#(\d+)|#[xX]([\da-fA-F]+)|([a-zA-Z][a-zA-Z0-9]*))(;?)/y
const names: Readonly<Record<string, string>> = {
  quot: '"',
  QUOT: '"',
  apos: "'",
  amp: '&',
  AMP: '&',
  lt: '<',
  LT: '<',
  gt: '>',
  GT: '>',
  nbsp: '\u00a0',
  lpar: '(',
  rpar: ')',
  lsqb: '[',
  lbrack: '[',
  rsqb: ']',
  rbrack: ']',
  lcub: '{',
  lbrace: '{',
  rcub: '}',
  rbrace: '}',
  sol: '/',
  bsol: '\\',
  colon: ':',
  semi: ';',
  comma: ',',
  period: '.',
  num: '#',
  quest: '?',
  excl: '!',
  equals: '=',
  ast: '*',
  midast: '*',
  plus: '+',
  percnt: '%',
  dollar: '$',
  commat: '@',
  lowbar: '_',
  grave: '`',
  DiacriticalGrave: '`',
  Hat: '^',
  vert: '|',
  verbar: '|',
  VerticalLine: '|',
  Tab: '\t',
  NewLine: '\n',
  copy: '\u00a9',
  reg: '\u00ae',
  hellip: '\u2026',
  ndash: '\u2013',
  mdash: '\u2014',
  laquo: '\u00ab',
  raquo: '\u00bb',
  euro: '\u20ac',
  times: '\u00d7',
}

/**
 * The reference at `at`, which is an `&`; `undefined` when the `&` stands for itself, `'unknown'` for a name that
 * is not in our list and so cannot be followed, `'unfinished'` when it reaches the end of the text.
 */
export function referenceAt(
  text: string,
  at: number,
): Reference | undefined | 'unknown' | 'unfinished' {
  shape.lastIndex = at
  const found = shape.exec(text)
  if (found === null)
    return /^&#?[xX]?$/.test(text.slice(at)) && text.length - at > 1 ? 'unfinished' : undefined
  const [whole, decimal, hex, name, semicolon] = found
  if (semicolon === '' && at + whole.length === text.length) return 'unfinished'
  if (name !== undefined) {
    if (semicolon === '') return undefined
    const known = Object.hasOwn(names, name) ? names[name] : undefined
    return known === undefined ? 'unknown' : { text: known, length: whole.length }
  }
  const code = decimal === undefined ? parseInt(hex!, 16) : Number(decimal)
  return {
    text: code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd',
    length: whole.length,
  }
}
