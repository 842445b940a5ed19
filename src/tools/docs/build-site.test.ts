/** The files of the site: navigation, pages, search, texts for language models. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'node-html-parser'
import { expect, test } from 'vitest'
import { packageFile } from '../../runtime/base.ts'
import { buildSite } from './build-site.ts'
import { readPicture } from './pictures.ts'
import { readNavigation } from './read-navigation.ts'
import { readFrames } from './recording.ts'
import { renderMarkdown } from './render-markdown.ts'

const site = buildSite()
const root = packageFile('')
const textOf = (name: string): string => String(site.get(name))

test('the navigation contains every page of docs/ once', () => {
  const linked = readNavigation(root).flatMap(({ pages }) => pages.map(({ path }) => path))
  const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
  const expected = pages.filter((name) => name !== 'README.md').map((name) => `docs/${name}`)
  expect(linked.toSorted()).toEqual(['CHANGELOG.md', 'SECURITY.md', ...expected].toSorted())
})

/** Inline scripts and styles, and URLs of other hosts that a page loads. */
const forbidden =
  /<script(?! src="\/?[\w-]+\.js"[ >])|<style| style="| on\w+="|(?:src|srcset)="https?:/g

test('no page contains an inline script, an inline style or a URL of another host that it loads', () => {
  const found = [...site]
    .filter(([name]) => name.endsWith('.html'))
    .flatMap(([name]) => [...textOf(name).matchAll(forbidden)].map(([part]) => `${name}: ${part}`))
  expect(found).toEqual([])
})

test('a section has the keywords of its comment, and its texts without markup', () => {
  const documents = JSON.parse(textOf('search.json')) as Record<string, string>[]
  const found = documents.find(({ id }) => id === 'coming-from.html#background-jobs')
  expect(found).toMatchObject({ title: 'Background jobs', page: 'Coming from another framework' })
  expect(found!['keywords']).toContain('sidekiq')
  expect(found!['text']).toMatch(/^A job is a row of the database/)
  expect(found!['code']).toContain('export const CountWords')
})

test('llms.txt links to each page as Markdown, and llms-full.txt contains them', () => {
  const links = [...textOf('llms.txt').matchAll(/^- \[.+\]\((.+\.md)\): /gm)]
  expect(links.length).toBeGreaterThan(35)
  for (const [, name] of links) expect(textOf('llms-full.txt')).toContain(textOf(name!))
})

test('pictures are files of the site, with their size and a description; each is used', () => {
  const shown = [...site.keys()]
    .filter((name) => name.endsWith('.html'))
    .flatMap((name) => [...textOf(name).matchAll(/<img [^>]*>/g)].map(([tag]) => tag))
  for (const tag of shown)
    expect(tag).toMatch(
      /^<img src="[\w-]+\.png" alt="[^"]{20,}" width="\d{3}" height="\d{3}" loading="lazy">$/,
    )
  const pictures = readdirSync(join(root, 'docs/images')).filter((name) => name.endsWith('.png'))
  expect(pictures.filter((name) => !shown.some((tag) => tag.includes(`"${name}"`)))).toEqual([])
  for (const name of pictures) expect(site.get(name)).toBeInstanceOf(Uint8Array)
})

test('the first page has the two commands, the recording, and the table with a link to each test', () => {
  const page = parse(textOf('index.html'))
  const commands = page.querySelectorAll('.commands pre').map(({ text }) => text)
  expect(commands).toEqual([
    expect.stringContaining('./fw run'),
    expect.stringContaining('./fw new'),
  ])
  expect(page.querySelectorAll('.recording li')).toHaveLength(6)
  const rows = page.querySelectorAll('.only-here tbody tr')
  expect(rows.length).toBeGreaterThan(8)
  for (const row of rows) {
    const link = row.querySelector('td:last-child a')!.getAttribute('href')!
    expect(textOf(link)).toContain('<h1>')
  }
})

test('the site of the package, which contains no pictures, has neither pictures nor empty paragraphs', () => {
  const page = '# A\n\nText\n\n![A picture](images/none.png)\n\nEnd\n'
  const { html } = renderMarkdown(page, {
    link: () => undefined,
    picture: (to) => readPicture(root, to),
  })
  expect(html).toBe('<h1 id="a">A</h1>\n<p>Text</p>\n<p>End</p>\n')
  expect(readFrames('/none', () => undefined)).toEqual([])
})
