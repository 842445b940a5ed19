/** Parses the text of an article into blocks. The syntax is a small part of Markdown, which is easy to render safely. */

export type Block =
  | { readonly kind: 'heading' | 'paragraph' | 'quote'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }

/** Parses a text. `## ` begins a heading, `> ` a quotation, and `- ` an item of a list; blank lines separate paragraphs. */
export function toBlocks(text: string): Block[] {
  const parts = text.replaceAll('\r\n', '\n').split(/\n\s*\n/)
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(toBlock)
}

function toBlock(part: string): Block {
  const lines = part.split('\n').map((line) => line.trim())
  if (lines.every((line) => line.startsWith('- ')))
    return { kind: 'list', items: lines.map((line) => line.slice(2)) }
  if (lines.every((line) => line.startsWith('>')))
    return { kind: 'quote', text: lines.map((line) => line.slice(1).trim()).join(' ') }
  if (lines.length === 1 && part.startsWith('## ')) return { kind: 'heading', text: part.slice(3) }
  return { kind: 'paragraph', text: lines.join(' ') }
}

/** Returns the number of minutes that reading the text takes. */
export const readingMinutes = (text: string): number =>
  Math.max(1, Math.round(text.split(/\s+/).length / 220))
