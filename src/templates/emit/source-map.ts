/** Writes the source map of a generated module. */
import { GenMapping, addSegment, setSourceContent, toEncodedMap } from '@jridgewell/gen-mapping'
import { inlineMapPrefix } from '../../runtime/view.ts'
import type { Segment } from './code-writer.ts'
import { lineStarts, positionIn, type TemplateSource } from '../read.ts'

/** Returns a source map that maps the start of each segment, and the start of each line in a segment. */
export function encodeSourceMap(
  module: { readonly code: string; readonly segments: readonly Segment[] },
  source: TemplateSource,
  name: string,
): string {
  const map = new GenMapping()
  const starts = lineStarts(module.code)
  for (const [generated, offset] of points(module)) {
    const from = positionIn(starts, generated)
    const to = source.position(offset)
    addSegment(map, from.line - 1, from.column - 1, name, to.line - 1, to.column - 1)
  }
  setSourceContent(map, name, source.text)
  return JSON.stringify(toEncodedMap(map))
}

function points({
  code,
  segments,
}: {
  readonly code: string
  readonly segments: readonly Segment[]
}): [number, number][] {
  const found: [number, number][] = []
  for (const { generated, source, length } of segments) {
    found.push([generated, source])
    for (
      let at = code.indexOf('\n', generated);
      at !== -1 && at < generated + length - 1;
      at = code.indexOf('\n', at + 1)
    ) {
      found.push([at + 1, source + at + 1 - generated])
    }
  }
  return found.sort(([a], [b]) => a - b)
}

/** Returns the comment that contains the source map at the end of a module. */
export function inlineSourceMap(json: string): string {
  return `${inlineMapPrefix}${Buffer.from(json).toString('base64')}\n`
}
