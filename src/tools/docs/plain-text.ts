/** The text of Markdown without its markup. */
import type { Token, Tokens } from 'marked'

/** The tokens whose text ends a line. */
const blocks: ReadonlySet<string> = new Set(['paragraph', 'list_item', 'heading', 'code'])

/** Returns the text of tokens without their markup. Comments have none. */
export const plainText = (tokens: readonly Token[]): string => tokens.map(tokenText).join('')

function tokenText(token: Token): string {
  if (token.type === 'table') return tableText(token as Tokens.Table)
  if (token.type === 'list') return plainText((token as Tokens.List).items)
  if (token.type === 'html') return ''
  const inner = 'tokens' in token ? token.tokens : undefined
  const text = inner ? plainText(inner) : 'text' in token ? String(token.text) : ' '
  return blocks.has(token.type) ? `${text} ` : text
}

const tableText = ({ header, rows }: Tokens.Table): string =>
  [header, ...rows].map((row) => row.map((cell) => plainText(cell.tokens)).join(' ')).join(' ')
