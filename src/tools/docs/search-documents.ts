/** Splits the pages into sections, which the search of the site finds. */
import { lexer, type Token, type Tokens } from 'marked'
import { plainText } from './plain-text.ts'
import type { Group, Page } from './read-navigation.ts'
import { Anchors } from './render-markdown.ts'

/** A section of a page, from one heading to the next. */
interface SearchDocument {
  /** The URL of the section, and its key. */
  readonly id: string
  readonly title: string
  /** The title of the page. */
  readonly page: string
  /** Words of readers that the section does not contain, from a comment below its heading. */
  readonly keywords: string
  readonly text: string
  readonly code: string
  /** Multiplies the score: a guide comes before a list that contains the same words. */
  readonly weight: number
}

/** A comment below a heading with words that readers search for: `<!-- keywords: sign in, password -->`. */
const keywordsComment = /^<!-- keywords: (.+?) -->\s*$/

const readKeywords = (token: Token): string | undefined =>
  token.type === 'html' ? keywordsComment.exec(token.raw)?.[1] : undefined

/** The groups whose pages are lists to look up, such as error codes and changes. */
const lists: ReadonlySet<string> = new Set(['Reference', 'Appendix'])
const listWeight = 0.3

interface Section {
  readonly heading: Tokens.Heading
  readonly id: string
  readonly content: Token[]
}

function splitSections(tokens: readonly Token[], page: Page): Section[] {
  const anchors = new Anchors()
  const sections: Section[] = []
  for (const token of tokens) {
    if (token.type === 'heading') {
      const heading = token as Tokens.Heading
      const anchor = anchors.next(heading.text)
      const id = `${page.name}.html${heading.depth === 1 ? '' : `#${anchor}`}`
      sections.push({ heading, id, content: [] })
    } else sections.at(-1)?.content.push(token)
  }
  return sections
}

const isCode = (token: Token): boolean => token.type === 'code'

function createDocument(section: Section, page: Page, weight: number): SearchDocument {
  const { heading, id, content } = section
  const isPage = heading.depth === 1
  const words = content.map(readKeywords).filter((found) => found !== undefined)
  const text = plainText(content.filter((token) => !isCode(token)))
  return {
    id,
    title: isPage ? page.title : plainText(heading.tokens),
    page: page.title,
    keywords: words.join(', '),
    text: (isPage ? `${page.description}. ${text}` : text).replaceAll(/\s+/g, ' ').trim(),
    code: plainText(content.filter(isCode)).replaceAll(/\s+/g, ' ').trim(),
    weight,
  }
}

/** Returns the sections of all pages. */
export const searchDocuments = (groups: readonly Group[]): readonly SearchDocument[] =>
  groups.flatMap(({ title, pages }) => {
    const weight = lists.has(title) ? listWeight : 1
    return pages.flatMap((page) =>
      splitSections(lexer(page.markdown), page).map((one) => createDocument(one, page, weight)),
    )
  })
