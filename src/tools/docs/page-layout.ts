/** The HTML around the content of every page: header, navigation, headings of the page, search. */
import { escapeXml } from '../../runtime/http.ts'
import type { Group } from './read-navigation.ts'
import type { Heading } from './render-markdown.ts'

/** The content of a page, and its data for the layout. */
export interface PageContent {
  /** The name of its file without `.html`. */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly html: string
  /** The headings that the page lists beside its content. */
  readonly headings?: readonly Heading[]
  /** The prefix of links: '/' for a page that is served at any path, such as that of the status 404. */
  readonly base?: string
}

/** What all pages share. */
export interface SiteContext {
  readonly groups: readonly Group[]
  readonly version: string
}

const link = (base: string, name: string, title: string, isCurrent = false): string =>
  `<a href="${base}${name}.html"${isCurrent ? ' aria-current="page"' : ''}>${escapeXml(title)}</a>`

function renderNavigation({ groups }: SiteContext, current: string, base: string): string {
  const lists = groups.map(({ title, pages }) => {
    const items = pages.map(
      (page) => `<li>${link(base, page.name, page.title, page.name === current)}</li>`,
    )
    return `<h2>${escapeXml(title)}</h2>\n<ul>${items.join('\n')}</ul>`
  })
  const contents = link(base, 'contents', 'All pages', current === 'contents')
  return `<nav id="navigation" popover aria-label="Pages">\n<p>${contents}</p>\n${lists.join('\n')}\n</nav>`
}

/** Lists the headings of the second level; those of the third only where the page is short. */
function renderHeadings(headings: readonly Heading[]): string {
  const shown = headings.filter(({ depth }) => depth === 2 || headings.length <= 20)
  if (shown.length < 2) return ''
  const items = shown.map(
    ({ id, text, depth }) =>
      `<li class="depth-${depth}"><a href="#${id}">${escapeXml(text)}</a></li>`,
  )
  return `<nav class="headings" aria-label="On this page">\n<h2>On this page</h2>\n<ul>${items.join('\n')}</ul>\n</nav>`
}

function renderNeighbours({ groups }: SiteContext, name: string): string {
  const pages = groups.flatMap((group) => group.pages)
  const at = pages.findIndex((page) => page.name === name)
  if (at === -1) return ''
  const [previous, next] = [pages[at - 1], pages[at + 1]]
  const links = [
    previous && `<span>Previous: ${link('', previous.name, previous.title)}</span>`,
    next && `<span>Next: ${link('', next.name, next.title)}</span>`,
  ]
  return `<nav class="neighbours" aria-label="Previous and next page">${links.filter(Boolean).join('\n')}</nav>`
}

const searchDialog = `<dialog id="search" aria-label="Search">
<form role="search">
<input type="search" aria-label="Search the documentation" placeholder="log in, upload, cron …" autocomplete="off" spellcheck="false">
<button type="button" data-close-search>Close</button>
</form>
<p class="count" role="status"></p>
<ol class="results"></ol>
</dialog>`

function renderHead({ name, title, description, base = '' }: PageContent): string {
  return `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeXml(name === 'index' ? title : `${title} · Fw`)}</title>
<meta name="description" content="${escapeXml(description)}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${base}icon.svg">
<link rel="stylesheet" href="${base}site.css">
<script src="${base}color-scheme.js"></script>
<script src="${base}site.js" type="module"></script>`
}

const renderHeader = (version: string, base: string): string => `<header class="bar">
<a class="brand" href="${base}index.html">Fw</a>
<a class="version" href="${base}versioning.html#documentation-of-another-version" aria-label="Version ${escapeXml(version)}, and others">${escapeXml(version)}</a>
<button type="button" data-needs-script data-open-search aria-keyshortcuts="/">Search <kbd>/</kbd></button>
<button type="button" data-needs-script data-switch-scheme aria-label="Switch between light and dark">◐</button>
<button type="button" class="menu" popovertarget="navigation">Pages</button>
</header>`

/** Renders a complete page. It contains neither inline scripts nor inline styles. */
export function renderPage(content: PageContent, site: SiteContext): string {
  const { name, html, headings = [], base = '' } = content
  return `<!doctype html>
<html lang="en">
<head>
${renderHead(content)}
</head>
<body class="${name === 'index' ? 'landing' : 'page'}">
<a class="skip" href="#content">Skip to the content</a>
${renderHeader(site.version, base)}
<div class="columns">
${renderNavigation(site, name, base)}
<main id="content" tabindex="-1">
${html}
${renderNeighbours(site, name)}
</main>
${renderHeadings(headings)}
</div>
${searchDialog}
</body>
</html>
`
}
