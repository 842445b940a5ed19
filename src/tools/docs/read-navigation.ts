/** Reads the groups of pages from docs/README.md: a heading for each group, and a list item for each page. */
import { readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'

/** A page of the site. */
export interface Page {
  /** The name of the page's file without its ending, such as `getting-started`. */
  readonly name: string
  /** The path of its Markdown below the package, such as `docs/getting-started.md`. */
  readonly path: string
  readonly title: string
  /** What a reader finds there: a part of a sentence. */
  readonly description: string
  readonly markdown: string
}

/** A group of pages for one task of a reader. */
export interface Group {
  readonly title: string
  readonly pages: readonly Page[]
}

/** The page that lists all pages. */
export const contentsPath = 'docs/README.md'

const item = /^- \[([^\]]+)\]\(([^)\s]+\.md)\): (.+(?:\n {2}.+)*)$/gm

/** Returns the name of a page's file. Pages outside docs/ begin with `project-`, because both have a page about security. */
function pageName(path: string): string {
  const name = basename(path, '.md').toLowerCase()
  if (path === contentsPath) return 'contents'
  return posix.dirname(path) === 'docs' ? name : `project-${name}`
}

/** Reads a page. @param path its path below the folder `root` */
export function readPage(root: string, path: string, title: string, description: string): Page {
  const markdown = readFileSync(join(root, path), 'utf8')
  return { name: pageName(path), path, title, description, markdown }
}

/** Returns the groups in the order of docs/README.md. `root` is the folder of the package. */
export function readNavigation(root: string): readonly Group[] {
  const [, ...sections] = readFileSync(join(root, contentsPath), 'utf8').split(/^## /m)
  const groups = sections.map((section) => ({
    title: section.slice(0, section.indexOf('\n')),
    pages: [...section.matchAll(item)].map(([, title, target, description]) =>
      readPage(
        root,
        posix.join('docs', target!),
        title!,
        description!.replaceAll(/\s+/g, ' ').replace(/\.$/, ''),
      ),
    ),
  }))
  return groups.filter(({ pages }) => pages.length > 0)
}
