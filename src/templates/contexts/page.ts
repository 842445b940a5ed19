/** Parses one branch path through an HTML template with parse5, and finds the context of each expression. */
import { Token, type ParserError } from 'parse5'
import {
  attributeKind,
  isSensitive,
  metaEscapers,
  presenceEscaper,
  valueEscapers,
  valueOf,
  valueState,
  wholeValue,
} from './attribute-contexts.ts'
import { lowerCase, MarkerError, type MarkerEscapers, type Markers } from './markers.ts'
import {
  PageError,
  type PageListener,
  PageParser,
  type PageState,
  type TagListener,
  unfinishedStart,
} from './page-parser.ts'
import { isValue, type PagePlace, placeOf } from './page-place.ts'
import { findPolicyUse } from './policy-uses.ts'
import { isRawText, RawText } from './raw-text.ts'
import { referenceError, tagError } from './tag-errors.ts'

interface PageOptions {
  readonly markers: Markers
  readonly listener: PageListener
  /** Whether `<noscript>` contains text, as in a browser that runs scripts; otherwise it contains markup. */
  readonly scripting: boolean
  /** HTML that the parser reads before the template, so that a partial starts in `<body>`. */
  readonly before: string
  /** Whether the template has expressions. Without expressions, the contents of scripts need no analysis. */
  readonly hasMarkers: boolean
}

/** The HTML of one branch path (one possible order of branches and loops), up to the current node. */
export class Page implements TagListener {
  readonly #options: PageOptions
  /** The text so far on this path through the template's branches. A marker stands in place of each expression. */
  #text: string
  #currentParser: PageParser | undefined
  #replaying = false
  /** The script, style, title or other element with text content that is open at the end of the text. */
  #raw: RawText | undefined
  /** True while the text ends in an unquoted attribute value for which the compiler has inserted the opening quote. */
  #opensQuote = false
  /** True directly after a directive. Then the next text must not continue the name of a tag or attribute. */
  #afterDirective = false
  /** The offset of the last directive; -1 without one. */
  #directive = -1
  /** True after a directive in the value of a style attribute, until the tag ends. */
  #dividesStyle = false
  #key: string | undefined
  #place: PagePlace | undefined

  constructor(options: PageOptions) {
    this.#options = options
    this.#text = options.before
  }

  get text(): string {
    return this.#text
  }

  /** Copies the text and state, but not the parser. The copy parses the text again when it needs a parser. */
  clone(): Page {
    const page = new Page(this.#options)
    page.#text = this.#text
    page.#raw = this.#raw
    page.#opensQuote = this.#opensQuote
    page.#afterDirective = this.#afterDirective
    page.#directive = this.#directive
    page.#dividesStyle = this.#dividesStyle
    page.#key = this.#key
    page.#place = this.#place
    return page
  }

  get #parser(): PageParser {
    if (this.#currentParser !== undefined) return this.#currentParser
    const parser = new PageParser(this.#options.scripting, this)
    parser.onParseError = (error) => this.#onError(error)
    this.#currentParser = parser
    this.#replaying = true
    parser.tokenizer.write(this.#text, false)
    this.#replaying = false
    return parser
  }

  #write(text: string): void {
    const parser = this.#parser
    this.#text += text
    this.#key = undefined
    this.#place = undefined
    parser.tokenizer.write(text, false)
  }

  /** Appends static text. */
  feed(text: string): void {
    if (text === '') return
    this.#refuseContinuedName(text)
    const cdata = text.indexOf('<![CDATA[')
    if (cdata >= 0) this.#feedCdata(text, cdata)
    else this.#feedQuoted(text)
  }

  #feedCdata(text: string, at: number): void {
    this.#feedQuoted(text.slice(0, at))
    if (this.#parser.state === 'text')
      throw new PageError(
        this.#text.length + '<!'.length,
        'CDATA sections mean different things in HTML and SVG: write the text with entities',
      )
    this.#feedQuoted(text.slice(at, at + 9))
    this.feed(text.slice(at + 9))
  }

  /** Appends text. If the compiler has opened a quote, closes it where the unquoted value ends. */
  #feedQuoted(text: string): void {
    if (!this.#opensQuote) return this.#write(text)
    const end = text.search(/[\t\n\f\r >]/)
    const value = end < 0 ? text : text.slice(0, end)
    const wrong = value.search(/["'`=<]/)
    if (wrong >= 0)
      throw new PageError(
        this.#text.length + wrong,
        `'${value[wrong]}' cannot stand in an unquoted value with an expression: quote the value`,
      )
    this.#write(value)
    if (end < 0) return
    if (!this.#replaying) this.#options.listener.insert(this.#text.length, 'quote')
    this.#write('"')
    this.#opensQuote = false
    this.#write(text.slice(end))
  }

  #refuseContinuedName(text: string): void {
    const state = this.#parser.state
    const { name } = this.#parser.fields.currentAttr
    if (this.#afterDirective && !/^[\t\n\f\r />]/.test(text)) {
      if (state === 'tag name')
        throw new PageError(this.#text.length, 'a directive cannot divide the name of a tag')
      if (state === 'attribute name' && !text.startsWith('='))
        throw new PageError(
          this.#text.length,
          'a blank is missing between this and the attribute before it',
        )
    }
    this.#afterDirective = false
    const isName = state === 'attribute name' || state === 'tag'
    if (isName && this.#options.markers.exact(name) !== undefined && /^\s*=/.test(text))
      throw new PageError(
        this.#text.length + text.indexOf('='),
        'the name of an attribute with a value must be static: put it into one branch with its value',
      )
  }

  #onError(error: ParserError): void {
    const found = tagError(error, this.#parser, this.#text, (start) => {
      return this.#directive > unfinishedStart(this.#text.slice(0, start), this.#options.scripting)
    })
    if (found !== undefined) throw found
  }

  /** Appends the marker of an expression and reports its escaper. */
  output(marker: number): void {
    const tokenizer = this.#parser.tokenizer
    tokenizer.flushCharacters()
    const fresh = this.#parser.skipNextNewLine
    const state = this.#parser.state
    const text = this.#options.markers.text(marker)
    this.#afterDirective = false
    if (state === 'before value') {
      this.#write('"')
      this.#opensQuote = true
      return this.#value(marker, '"')
    }
    if (isValue(this.#parser.valueState)) return this.#value(marker, '')
    const escaper = this.#escaperOf(marker, state)
    this.#write(escaper === 'escapeComment' ? ` ${text} ` : fresh ? `\n${text}` : text)
    if (escaper !== '') this.#report(marker, 'only', escaper, fresh ? '\n' : '')
  }

  /**
   * Returns the escaper of an expression outside attribute values. Returns `''` in a script or style, whose complete
   * content determines the escaper later.
   */
  #escaperOf(marker: number, state: PageState): string {
    switch (state) {
      case 'text':
      case 'reference':
        return this.#textEscaper(marker)
      case 'rcdata':
        return 'escapeAttribute'
      case 'rawtext':
      case 'script':
        return this.#raw?.language === 'text' && this.#raw.element !== 'noscript'
          ? 'escapeAttribute'
          : ''
      case 'comment':
        return 'escapeComment'
      case 'tag':
        this.#refuseEndTag(marker)
        return 'attributeName'
      case 'attribute name':
        return this.#namePartEscaper(marker)
      case 'tag name':
        throw new MarkerError(
          marker,
          'the name of a tag must be static: an expression cannot choose it. For a plain < write &lt;',
        )
      case 'unfinished': {
        const rest = this.#text.slice(this.#text.lastIndexOf('<'))
        if (rest === '<' && this.#raw?.language === 'style') return ''
        throw new MarkerError(
          marker,
          `after '${rest}' the value could end <${this.#raw?.element}>: put a blank or another character between`,
        )
      }
      default:
        throw new MarkerError(marker, `an expression cannot stand here, ${this.place().label}`)
    }
  }

  #textEscaper(marker: number): string {
    const { name, isHtml } = this.#parser.currentElement
    if (!isHtml && /^(script|style)$/.test(name))
      throw new MarkerError(
        marker,
        `an expression cannot stand in the <${name}> of SVG or MathML, which browsers read as markup: move it into the HTML`,
      )
    return 'escapeText'
  }

  #refuseEndTag(marker: number): void {
    if (this.#parser.isInEndTag)
      throw new MarkerError(marker, 'an expression cannot stand in an end tag')
  }

  #namePartEscaper(marker: number): string {
    const { name } = this.#parser.fields.currentAttr
    if (/^(data|aria)-/.test(name)) return 'attributeNamePart'
    throw new MarkerError(
      marker,
      `an expression cannot be part of the attribute name '${name}…': only of data-… and aria-…`,
    )
  }

  #value(marker: number, before: string): void {
    const { currentToken, currentAttr } = this.#parser.fields
    const element = currentToken?.tagName ?? ''
    const outer = this.#parser.valueState === 'unquoted' ? 'escapeUnquoted' : 'escapeAttribute'
    this.#refuseEndTag(marker)
    const kind = attributeKind(element, currentAttr.name)
    if (currentAttr.name === 'nonce') this.#refuseNonce(element, this.#text.length)
    if (kind === 'static')
      throw new MarkerError(
        marker,
        `the attribute '${currentAttr.name}' of <${element}> must be static: it decides how a browser reads the rest`,
      )
    if (this.#parser.state === 'reference' && !['plain', 'url', 'srcset'].includes(kind))
      throw new MarkerError(
        marker,
        "a character reference before it hides what is meant: write the character itself, or '&amp;'",
      )
    this.#write(this.#options.markers.text(marker))
    this.#report(marker, kind === 'plain' ? 'only' : 'outer', outer, before)
    const presence = kind === 'plain' ? presenceEscaper(currentAttr.name) : undefined
    if (presence !== undefined && !this.#replaying)
      this.#options.listener.presence(marker, currentAttr.name, presence)
  }

  #report(marker: number, role: 'only' | 'outer' | 'inner', escaper: string, before = ''): void {
    if (!this.#replaying) this.#options.listener.escape(marker, role, escaper, before)
  }

  #reportAll(role: 'only' | 'inner', escapers: MarkerEscapers): void {
    for (const [marker, escaper] of escapers) this.#report(marker, role, escaper)
  }

  /** Runs when a start tag is complete, before parse5 adds its element to the tree. */
  onStartTag(token: Token.TagToken): void {
    if (this.#replaying) return
    this.#refuseInSelect(token)
    if (token.tagName === 'plaintext')
      throw new PageError(this.#parser.offset, '<plaintext> never ends: use <pre>')
    const error = referenceError(token, this.#text)
    if (error !== undefined) throw error
    for (const attribute of token.attrs) {
      this.#finishAttribute(token, attribute)
      this.#reportPolicyUse(token, attribute)
    }
    this.#dividesStyle = false
    if (token.tagName === 'meta')
      this.#reportAll('inner', metaEscapers(token, this.#options.markers))
  }

  #reportPolicyUse(token: Token.TagToken, attribute: Token.Attribute): void {
    const use = findPolicyUse(token, attribute, this.#options.markers)
    if (use === undefined) return
    const offset = token.location?.attrs?.[attribute.name]?.startOffset ?? this.#parser.offset
    this.#options.listener.policyUse(offset, use, use.kind === 'style' && this.#dividesStyle)
  }

  /** Throws for an element that some browsers drop inside `<select>`. */
  #refuseInSelect({ tagName }: Token.TagToken): void {
    const refused = (isRawText(tagName) && tagName !== 'script') || /^(svg|math)$/.test(tagName)
    if (!refused || !this.#parser.openNames().includes('select')) return
    throw new PageError(
      this.#text.lastIndexOf('<', this.#parser.offset),
      `browsers disagree about <${tagName}> inside <select>: move it out`,
    )
  }

  /** Runs after parse5 has added the element of a start tag to the tree. */
  afterStartTag(token: Token.TagToken): void {
    const { tagName } = token
    const state = this.#parser.state
    const isRaw = state === 'rcdata' || state === 'rawtext' || state === 'script'
    if (!isRaw) return this.#foreignScript(token)
    this.#raw = new RawText(token, this.#parser.offset + 1)
    if (this.#replaying) return
    this.#options.listener.rawText()
    if (token.selfClosing)
      throw new PageError(
        this.#parser.offset,
        `<${tagName}/> does not close itself in HTML: write <${tagName}></${tagName}>`,
      )
    if (this.#raw.needsNonce) this.#options.listener.insert(this.#parser.offset, 'nonce')
  }

  /** Inserts the nonce into an inline script or style of SVG: a Content-Security-Policy applies to these as well. */
  #foreignScript(token: Token.TagToken): void {
    const { tagName, selfClosing } = token
    if (this.#replaying || selfClosing || !/^(script|style)$/.test(tagName)) return
    const links = ['href', 'xlink:href', 'src']
    if (links.every((name) => valueOf(token, name) === undefined))
      this.#options.listener.insert(this.#parser.offset, 'nonce')
  }

  /** Runs when an end tag is complete, before parse5 closes its element. */
  onEndTag({ tagName }: Token.TagToken): void {
    const raw = this.#raw
    if (raw === undefined || tagName !== raw.element) return
    this.#raw = undefined
    if (this.#replaying) return
    const content = raw.content(this.#text)
    const hiding = tagName === 'script' ? content.indexOf('<!--') : -1
    if (hiding >= 0)
      throw new PageError(
        raw.start + hiding,
        "'<!--' changes how browsers read the rest of a script: remove it, or write '<\\!--' in a string",
      )
    this.#reportAll('only', raw.escapers(content, this.#options.markers, true))
  }

  #finishAttribute(token: Token.TagToken, attribute: Token.Attribute): void {
    const isNonce = attribute.name === 'nonce' && /^(script|style)$/.test(token.tagName)
    if (isNonce) this.#refuseNonce(token.tagName, this.#parser.offset)
    this.#reportValue(token, attribute, true)
  }

  /**
   * Reports the inner escapers of the markers in an attribute value. In an incomplete value, reports only those that the
   * rest of the value cannot change. Must run before branch paths merge, because merging may drop this one.
   */
  #reportValue({ tagName }: Token.TagToken, attribute: Token.Attribute, isComplete: boolean): void {
    const { markers } = this.#options
    if (!markers.has(attribute.value)) return
    const kind = attributeKind(tagName, attribute.name)
    this.#reportAll('inner', valueEscapers(kind, attribute, markers, isComplete))
  }

  #refuseNonce(element: string, before: number): never {
    throw new PageError(
      lowerCase(this.#text).lastIndexOf('nonce', before),
      `the nonce of <${element}> is written by the compiler: remove it`,
    )
  }

  foreignElement(): string | undefined {
    return this.#parser.foreignElement()
  }

  /**
   * Records that a block such as `#if` starts or ends.
   * @throws PageError in a character reference, or in the value of a boolean attribute
   */
  markDirective(): void {
    if (!this.#afterDirective) this.#key = undefined
    this.#afterDirective = true
    this.#directive = this.#text.length
    const { state, valueState } = this.#parser
    if (state === 'reference')
      throw new PageError(
        this.#text.lastIndexOf('&'),
        "a directive cannot follow '&' directly: write &amp;",
      )
    const { name } = this.#parser.fields.currentAttr
    if (state !== 'before value' && !isValue(valueState)) return
    if (presenceEscaper(name) === 'booleanAttribute')
      throw new PageError(this.#text.length, wholeValue(name))
    if (name === 'style') this.#dividesStyle = true
  }

  /**
   * Returns a key of the parser's state. After texts with equal keys, browsers parse further text in the same way, so
   * their branch paths can merge.
   */
  key(): string {
    this.#key ??= this.#computeKey()
    return this.#key
  }

  #computeKey(): string {
    const parser = this.#parser
    parser.tokenizer.flushCharacters()
    const place = this.place()
    const raw = this.#raw
    if (raw !== undefined)
      this.#reportAll('only', raw.escapers(raw.content(this.#text), this.#options.markers, false))
    const { preprocessor } = this.#parser.fields
    return JSON.stringify([
      this.#parser.fields.state,
      place.label,
      preprocessor.html.slice(preprocessor.pos + 1),
      this.#opensQuote,
      this.#afterDirective && place.kind.endsWith('name'),
      parser.structure(),
      this.#tagKey(),
      this.#options.hasMarkers
        ? this.#raw?.state(this.#text, this.#options.markers)
        : this.#raw?.element,
    ])
  }

  /**
   * Returns the open tag's part of the key. Reports the escapers of complete attribute values first, so that the key
   * contains only the names of these attributes.
   */
  #tagKey(): unknown {
    const state = this.#parser.state
    const { currentToken, currentAttr } = this.#parser.fields
    if (currentToken === null || !/^(tag|attribute|before|double|single|unquoted)/.test(state))
      return ''
    this.#parser.fields._flushRun('')
    const isOpen = !/^tag$/.test(state)
    const attributes = (currentToken.attrs ?? []).map((attribute) => {
      const { name, value } = attribute
      if (isOpen && attribute === currentAttr) {
        this.#reportValue(currentToken, attribute, false)
        return [name, valueState(currentToken.tagName, attribute, this.#options.markers)]
      }
      if (!this.#replaying && currentToken.type === Token.TokenType.START_TAG)
        this.#finishAttribute(currentToken, attribute)
      return isSensitive(currentToken.tagName, name) && /^(type|src|http-equiv|content)$/.test(name)
        ? [name, value]
        : name
    })
    return [
      currentToken.type,
      currentToken.tagName,
      attributes,
      state === 'attribute name' ? currentAttr.name : '',
    ]
  }

  place(): PagePlace {
    this.#place ??= placeOf(this.#parser, this.#options.markers, this.#raw, this.#opensQuote)
    return this.#place
  }

  /** Returns the offset of the tag, comment or text element that is still open at the end of the text. */
  unfinishedStart(): number {
    return unfinishedStart(this.#text, this.#options.scripting)
  }
}
