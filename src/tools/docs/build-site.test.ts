/** The files of the site: navigation, pages, search, texts for language models. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageFile } from '../../runtime/base.ts'
import { buildSite } from './build-site.ts'
import { readNavigation } from './read-navigation.ts'

const site = buildSite()
const root = packageFile('')

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
    .flatMap(([name, text]) => [...text.matchAll(forbidden)].map(([part]) => `${name}: ${part}`))
  expect(found).toEqual([])
})

test('a section has the keywords of its comment, and its texts without markup', () => {
  const documents = JSON.parse(site.get('search.json')!) as Record<string, string>[]
  const found = documents.find(({ id }) => id === 'coming-from.html#background-jobs')
  expect(found).toMatchObject({ title: 'Background jobs', page: 'Coming from another framework' })
  expect(found!['keywords']).toContain('sidekiq')
  expect(found!['text']).toMatch(/^A job is a row of the database/)
  expect(found!['code']).toContain('export const CountWords')
})

test('llms.txt links to each page as Markdown, and llms-full.txt contains them', () => {
  const links = [...site.get('llms.txt')!.matchAll(/^- \[.+\]\((.+\.md)\): /gm)]
  expect(links.length).toBeGreaterThan(35)
  for (const [, name] of links) expect(site.get('llms-full.txt')).toContain(site.get(name!))
})
