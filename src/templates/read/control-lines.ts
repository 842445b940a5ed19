/** Removes lines that contain only directives, code, declarations and comments. */
import type { TemplateNode, TextNode } from './nodes.ts'
import type { TemplateSource } from './template-source.ts'

/** Removes lines without output from the text nodes, in place, so that they leave no blank lines in the page. */
export function trimControlLines(source: TemplateSource, nodes: readonly TemplateNode[]): void {
  for (let at = 0; at < nodes.length; at++) {
    if (!isControl(nodes[at]!)) continue
    const last = lastOfLine(nodes, at)
    if (standsAlone(source.text, nodes[at]!.pos, nodes[last]!.end)) trimAround(nodes, at, last)
    at = last
  }
}

const isControl = ({ kind }: TemplateNode): boolean =>
  kind !== 'text' && kind !== 'output' && kind !== 'include'

const isBlankInLine = (node: TemplateNode | undefined): node is TextNode =>
  node?.kind === 'text' && /^[ \t]*$/.test(node.text)

/**
 * Returns the index of the last directive, code, declaration or comment that follows the node `first` with only blanks
 * between.
 */
function lastOfLine(nodes: readonly TemplateNode[], first: number): number {
  let last = first
  for (let at = first + 1; at < nodes.length; at++) {
    if (isControl(nodes[at]!)) last = at
    else if (!isBlankInLine(nodes[at])) break
  }
  return last
}

/**
 * Returns true if the line around a range contains only white space. Reads only the white space next to the range, because one
 * long line may have thousands of ranges.
 */
function standsAlone(text: string, start: number, end: number): boolean {
  let before = start - 1
  while (before >= 0 && text[before] !== '\n' && isSpace(text[before]!)) before--
  if (before >= 0 && text[before] !== '\n') return false
  let after = end
  while (after < text.length && text[after] !== '\n' && isSpace(text[after]!)) after++
  return after === text.length || text[after] === '\n'
}

const isSpace = (char: string): boolean => /\s/.test(char)

/** Returns the offset at which the blanks (spaces and tabs) before another offset begin. */
export function blanksStart(text: string, end: number): number {
  let start = end
  while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start--
  return start
}

function trimAround(nodes: readonly TemplateNode[], first: number, last: number): void {
  const before = nodes[first - 1]
  if (before?.kind === 'text')
    before.text = before.text.slice(0, blanksStart(before.text, before.text.length))
  for (let at = first; at <= last; at++) {
    const node = nodes[at]!
    if (node.kind === 'text') node.text = ''
  }
  const after = nodes[last + 1]
  if (after?.kind !== 'text') return
  const length = /^[ \t]*(\r?\n)?/.exec(after.text)![0].length
  after.text = after.text.slice(length)
  after.textPos += length
}
