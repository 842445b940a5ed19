/** Explains the errors of parse5 in a tag: characters that hint at a missing quote, and doubled attributes. */
import type { ParserError } from 'parse5'
import { isSensitive } from './attribute-contexts.ts'
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
