/** Source maps of generated modules: written for them, and read when an error is thrown in them. */
import { GenMapping, addSegment, setSourceContent, toEncodedMap } from '@jridgewell/gen-mapping'
import type { Segment } from './code-writer.ts'
import { lineStarts, positionIn, type TemplateSource } from './template-source.ts'

const inline = '//# sourceMappingURL=data:application/json;base64,'

/** Maps the start of each segment, and of each line within it. */
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

/** The comment that carries a map within its module. */
export function inlineSourceMap(json: string): string {
  return `${inline}${Buffer.from(json).toString('base64')}\n`
}

/** The map that a module carries, as JSON; `undefined` when it carries none. */
export function readInlineSourceMap(module: string): string | undefined {
  const at = module.lastIndexOf(inline)
  if (at < 0) return undefined
  return Buffer.from(module.slice(at + inline.length).trim(), 'base64').toString()
}
