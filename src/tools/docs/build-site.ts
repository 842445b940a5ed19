/** Builds the site from the files of the package: pages, landing page, search, and texts for language models. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, posix } from 'node:path'
import { packageFile } from '../../runtime/base.ts'
import { readIntroduction, renderLanding } from './landing-page.ts'
import { renderPage, type PageContent, type SiteContext } from './page-layout.ts'
import { readFrames } from './recording.ts'
import { readPicture, type Picture } from './pictures.ts'
import { contentsPath, readNavigation, readPage, type Page } from './read-navigation.ts'
import { renderCode, renderMarkdown } from './render-markdown.ts'
import { searchDocuments } from './search-documents.ts'

/** The contents of the site's files by name. All files are in one folder, so that each link is the name of a file. */
export type Site = ReadonlyMap<string, string | Uint8Array>

const assets = ['site.css', 'site.js', 'search.js', 'color-scheme.js', 'icon.svg']
const root = packageFile('')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Builds the pages of one site. */
class SiteBuilder {
  readonly #files = new Map<string, string | Uint8Array>()
  readonly #context: SiteContext
  readonly #pages: ReadonlyMap<string, Page>
  /** The tests to which pages link. */
  readonly #tests = new Set<string>()

  constructor(context: SiteContext, contents: Page) {
    this.#context = context
    const pages = [contents, ...context.groups.flatMap((group) => group.pages)]
    this.#pages = new Map(pages.map((page) => [page.path, page]))
  }

  /**
   * Returns the URL for a link of a page. A link to a test leads to its source code, which only the repository contains. The
   * site contains no other files of the repository.
   */
  #resolve(target: string, from: string): string | undefined {
    if (/^(?:https?:|mailto:|#)/.test(target)) return target
    const [path = '', hash] = target.split('#')
    const file = posix.join(posix.dirname(from), path)
    const page = this.#pages.get(file)
    if (page !== undefined) return `${page.name}.html${hash === undefined ? '' : `#${hash}`}`
    if (!file.endsWith('.test.ts') || !existsSync(join(root, file))) return undefined
    this.#tests.add(file)
    return `${sourceName(file)}.html`
  }

  /** Adds a picture to the site, and returns it; undefined in the package, which contains none. */
  #findPicture(path: string): Picture | undefined {
    const picture = readPicture(root, path)
    if (picture !== undefined) this.#files.set(picture.name, picture.bytes)
    return picture
  }

  #add(content: PageContent): void {
    this.#files.set(`${content.name}.html`, renderPage(content, this.#context))
  }

  #addPage(page: Page): void {
    const { html, headings } = renderMarkdown(page.markdown, {
      link: (to) => this.#resolve(to, page.path),
      picture: (to) => this.#findPicture(posix.join(posix.dirname(page.path), to)),
    })
    this.#add({ ...page, html, headings })
    this.#files.set(`${page.name}.md`, page.markdown)
  }

  #addTest(path: string): void {
    const html = `<h1>${path}</h1>\n${renderCode(read(path), 'ts')}`
    this.#add({ name: sourceName(path), title: path, description: `The source of ${path}`, html })
  }

  #addLanding(): void {
    const introduction = readIntroduction(read('README.md'))
    const onlyHere = 'docs/only-here.md'
    const html = renderLanding({
      introduction,
      onlyHere: this.#pages.get(onlyHere)!.markdown,
      groups: this.#context.groups,
      frames: readFrames(root, (path) => this.#findPicture(path)),
      resolve: (to) => this.#resolve(to, onlyHere),
    })
    const { summary } = introduction
    this.#add({ name: 'index', title: 'Fw, a framework for Node.js', description: summary, html })
    this.#files.set('llms.txt', this.#listPages(summary))
  }

  /** Returns the list of pages in the form of https://llmstxt.org. */
  #listPages(summary: string): string {
    const sections = this.#context.groups.map(({ title, pages }) => {
      const items = pages.map((page) => `- [${page.title}](${page.name}.md): ${page.description}\n`)
      return `## ${title}\n\n${items.join('')}`
    })
    return `# Fw\n\n> ${summary}\n\nllms-full.txt contains all pages.\n\n${sections.join('\n')}`
  }

  build(): Site {
    const pages = [...this.#pages.values()]
    for (const page of pages) this.#addPage(page)
    this.#addLanding()
    for (const path of this.#tests) this.#addTest(path)
    this.#add({
      name: '404',
      title: 'Not found',
      description: 'There is no such page.',
      html: '<h1>Not found</h1>\n<p>There is no page at this address. Search, or see <a href="/contents.html">all pages</a>.</p>',
      base: '/',
    })
    this.#files.set('llms-full.txt', pages.map(({ markdown }) => markdown).join('\n'))
    this.#files.set('search.json', JSON.stringify(searchDocuments(this.#context.groups)))
    for (const name of assets) this.#files.set(name, read(`templates/docs/${name}`))
    this.#files.set('minisearch.js', readLibrary())
    return this.#files
  }
}

const sourceName = (path: string): string =>
  `source-${path.replace(/\.ts$/, '').replaceAll(/[/.]/g, '-')}`

/** Returns the module of MiniSearch for browsers. `require.resolve` returns the CommonJS build; the ES module is beside it. */
function readLibrary(): string {
  const file = createRequire(import.meta.url).resolve('minisearch')
  return readFileSync(join(dirname(file), '../es/index.js'), 'utf8')
}

/** Builds the site of the running version. */
export function buildSite(): Site {
  const { version } = JSON.parse(read('package.json')) as { readonly version: string }
  const contents = readPage(root, contentsPath, 'All pages', 'The pages by task')
  return new SiteBuilder({ groups: readNavigation(root), version }, contents).build()
}
