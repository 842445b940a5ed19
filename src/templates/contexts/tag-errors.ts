/** Explains the errors of parse5 in a tag: characters that hint at a missing quote, and doubled attributes. */
import { parseFragment, type ParserError, type Token } from 'parse5'
import { attributeKind, isSensitive } from './attribute-contexts.ts'
import { PageError, type PageParser } from './page-parser.ts'

/**
 * Returns the error of a template; `undefined` for an error that browsers repair in one known way. `isDivided` returns true
 * if a directive is in the tag before an offset.
 */
export function tagError(
  { code, startOffset }: ParserError,
  { fields: { currentToken, currentAttr } }: PageParser,
  text: string,
  isDivided: (offset: number) => boolean,
): PageError | undefined {
  const { name } = currentAttr
  switch (code as string) {
    case 'unexpected-character-in-attribute-name':
      return new PageError(
        startOffset,
        `unexpected '${text[startOffset] ?? ''}' in ${name === '' ? 'a tag' : 'an attribute name'}: is a quote, a '=' or a blank missing before it?`,
      )
    case 'unexpected-equals-sign-before-attribute-name':
      return new PageError(
        startOffset,
        "unexpected '=' in a tag: is the name of an attribute missing?",
      )
    case 'duplicate-attribute': {
      if (currentToken === null || !isSensitive(currentToken.tagName, name)) return undefined
      const start = Math.max(0, startOffset - name.length)
      return new PageError(
        start,
        `the attribute '${name}' is written twice${
          isDivided(start)
            ? ' in one way through the branches, and browsers take the first: put both into one #if … #else'
            : ', and browsers take the first: remove one'
        }`,
      )
    }
    default:
      return undefined
  }
}

/** Matches the start of a parameter, such as `&reg_id`, whose name may begin with that of a character reference. */
const parameter = /&([a-z][a-z\d]*)(?![a-z\d=;])/gi

/**
 * Returns the error of a URL with a character reference that has no semicolon. Browsers read `&reg_id=1` as `®_id=1`, but
 * not `&reg=1`. `text` is the text of the branch path.
 */
export function referenceError(token: Token.TagToken, text: string): PageError | undefined {
  for (const { name } of token.attrs) {
    if (!/^(?:url|srcset)$/.test(attributeKind(token.tagName, name))) continue
    const location = token.location?.attrs?.[name]
    const source = text.slice(location?.startOffset, location?.endOffset)
    for (const { 0: reference, 1: word, index } of source.matchAll(parameter)) {
      const read = readReference(reference)
      if (read === reference) continue
      const written = reference.slice(0, reference.length - read.length + 1)
      return new PageError(
        location!.startOffset + index,
        `browsers read '${written}' as '${read[0]}': write &amp;${word}`,
      )
    }
  }
  return undefined
}

/** Returns what browsers read in an attribute that ends with a reference and a character after it. */
function readReference(reference: string): string {
  const [node] = parseFragment(`<p title="${reference}_">`).childNodes
  return node !== undefined && 'attrs' in node ? node.attrs[0]!.value.slice(0, -1) : reference
}
