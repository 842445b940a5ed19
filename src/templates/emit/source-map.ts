/** Maps positions in a generated module to its template. */
import { GenMapping, addSegment, setSourceContent, toEncodedMap } from '@jridgewell/gen-mapping'
import { inlineMapPrefix } from '../../runtime/view.ts'
import type { GeneratedModule, Segment } from './code-writer.ts'
import { lineStarts, positionIn, type TemplateSource } from '../read.ts'

/**
 * Converts an offset in the module to an offset in the template. `exact` is false for code that is generated, not
 * copied.
 */
export function templateOffset(
  segments: readonly Segment[],
  generated: number,
): { readonly offset: number; readonly exact: boolean } {
  const before = segments.findLast((segment) => segment.generated <= generated)
  if (before === undefined) return { offset: 0, exact: false }
  const distance = generated - before.generated
  const exact = distance <= before.length
  const offset = exact ? distance : before.length > 1 ? before.length : 0
  return { offset: before.source + offset, exact }
}

/** Returns a source map that maps the start of each segment, and the start of each line in a segment. */
export function encodeSourceMap(
  { code, segments }: GeneratedModule,
  source: TemplateSource,
  name: string,
): string {
  const map = new GenMapping()
  const starts = lineStarts(code)
  const points = segments.flatMap(({ generated, source: offset, length }) => {
    const breaks = code.slice(generated, generated + length - 1).matchAll(/\n/g)
    const lines = [0, ...breaks.map(({ index }) => index + 1)]
    return lines.map((at) => [generated + at, offset + at] as const)
  })
  for (const [generated, offset] of points.sort(([a], [b]) => a - b)) {
    const from = positionIn(starts, generated)
    const to = source.position(offset)
    addSegment(map, from.line - 1, from.column - 1, name, to.line - 1, to.column - 1)
  }
  setSourceContent(map, name, source.text)
  return JSON.stringify(toEncodedMap(map))
}

/** Returns the comment that contains the source map at the end of a module. */
export function inlineSourceMap(json: string): string {
  return `${inlineMapPrefix}${Buffer.from(json).toString('base64')}\n`
}
