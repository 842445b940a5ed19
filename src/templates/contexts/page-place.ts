/** Determines the place in the HTML at the end of a branch path, for comparisons and for error messages. */
import type { Markers } from './markers.ts'
import type { PageParser, PageState } from './page-parser.ts'
import type { RawText } from './raw-text.ts'

/** A place in HTML. All branches of a block must end in the same place. */
export interface PagePlace {
  readonly kind: PageState | 'value' | 'opened value' | 'raw'
  readonly label: string
}

/** The labels of the places that the parser's state determines. */
const labels: Readonly<Partial<Record<PageState, string>>> = {
  text: 'in HTML text',
  comment: 'in a comment',
  doctype: 'in the doctype',
  tag: 'inside a tag',
  'tag name': 'inside a tag',
}

/** True in an attribute value. */
export const isValue = (state: PageState): boolean =>
  state === 'double' || state === 'single' || state === 'unquoted'

/** Returns the place of the parser. `opensQuote` is true in an unquoted value for which the compiler has inserted a quote. */
export function placeOf(
  parser: PageParser,
  markers: Markers,
  raw: RawText | undefined,
  opensQuote: boolean,
): PagePlace {
  const state = parser.valueState
  const fixed = labels[state]
  if (fixed !== undefined) return { kind: state, label: fixed }
  const name = markers.replace(parser.fields.currentAttr.name, '…')
  if (state === 'attribute name') return { kind: state, label: `in the attribute name '${name}'` }
  if (state === 'before value' || isValue(state))
    return {
      kind: opensQuote ? 'opened value' : 'value',
      label: `in the value of the attribute '${name}'`,
    }
  const label = state === 'cdata' ? 'in a CDATA section' : (raw?.label ?? '')
  return { kind: 'raw', label }
}
