/** Finds the contexts in the content of an element that browsers parse as text: a script, style or title. */
import type { Token } from 'parse5'
import { valueOf } from './attribute-contexts.ts'
import { jsonEscapers, jsonState } from './json-contexts.ts'
import type { MarkerEscapers, Markers } from './markers.ts'
import { scriptEscapers } from './script-contexts.ts'
import { styleEscapers, styleState } from './style-contexts.ts'

const scripts =
  /^$|^(module|importmap|speculationrules)$|^(text|application)\/((x-)?(java|ecma|live|j)script(1\.\d)?|babel|typescript|jsx)$/

const rawText = new Set(
  'script style title textarea xmp iframe noembed noframes noscript'.split(' '),
)

/** True if browsers parse the content of the element as text, not as markup. */
export const isRawText = (element: string): boolean => rawText.has(element)

/**
 * Returns the language of a script element by its attribute `type`: a classic script, a module, JSON, or data that
 * browsers do not run.
 */
export function scriptKind(type: string): 'code' | 'module' | 'json' | 'data' {
  const essence = type.trim().toLowerCase().split(';')[0]!.trim()
  if (essence === 'importmap' || essence === 'speculationrules') return 'json'
  if (essence === 'module') return 'module'
  if (scripts.test(essence)) return 'code'
  return /(^|[/+])json$/.test(essence) ? 'json' : 'data'
}

/** True if browsers run or apply a script element with this `type`. Such a script needs a nonce. */
export function runs(type: string): boolean {
  const essence = type.trim().toLowerCase()
  return scripts.test(essence)
}

type Language = 'script' | 'module' | 'json' | 'style' | 'text'

function languageOf(token: Token.TagToken): Language {
  if (token.tagName === 'style') return 'style'
  if (token.tagName !== 'script') return 'text'
  const kind = scriptKind(valueOf(token, 'type') ?? '')
  return kind === 'code' ? 'script' : kind === 'data' ? 'text' : kind
}

export class RawText {
  readonly element: string
  /** The offset at which the element's content starts in the text of the branch path. */
  readonly start: number
  readonly language: Language
  /** True for an inline script or a style. A Content-Security-Policy allows these only with a nonce. */
  readonly needsNonce: boolean

  constructor(token: Token.TagToken, start: number) {
    this.element = token.tagName
    this.start = start
    this.language = languageOf(token)
    const isInline = this.element === 'script' && valueOf(token, 'src') === undefined
    this.needsNonce = this.element === 'style' || (isInline && runs(valueOf(token, 'type') ?? ''))
  }

  /** Returns the element's content so far. `text` is the text of the branch path. */
  content(text: string): string {
    const content = text.slice(this.start)
    const end = content.search(new RegExp(`</${this.element}[\\t\\n\\f\\r />]`, 'i'))
    return end < 0 ? content : content.slice(0, end)
  }

  /**
   * Returns the escaper of each marker whose token is complete. Returns none for plain text: the page has already
   * reported the escapers of its markers.
   */
  escapers(content: string, markers: Markers, isComplete: boolean): MarkerEscapers {
    if (this.language === 'text' || !markers.has(content)) return new Map()
    if (this.language === 'style') return styleEscapers(content, markers, isComplete)
    if (this.language === 'json') return jsonEscapers(content, markers, isComplete)
    return !isComplete ? new Map() : scriptEscapers(content, this.language, markers)
  }

  /** Returns a key of the content so far: equal keys mean equal contexts for expressions in the rest of the content. */
  state(text: string, markers: Markers): string {
    const content = text.slice(this.start)
    if (this.language === 'text') return ''
    if (this.language === 'style') return styleState(content, markers)
    return this.language === 'json' ? jsonState(content) : content
  }

  get label(): string {
    if (this.language === 'text') return `in <${this.element}>`
    const language = this.language === 'module' ? 'script' : this.language
    return `in the ${language} of <${this.element}>`
  }
}
