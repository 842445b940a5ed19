/** The first page of the site: the commands and the application of README.md, what only Fw has, and the groups of pages. */
import { lexer, type Tokens } from 'marked'
import { escapeXml } from '../../runtime/http.ts'
import type { Group } from './read-navigation.ts'
import type { Frame } from './recording.ts'
import { renderCode, renderMarkdown, renderPicture, type ResolveLink } from './render-markdown.ts'

/** The parts of README.md that the page shows. */
export interface Introduction {
  /** The first paragraph, as Markdown. */
  readonly summary: string
  readonly commands: readonly Tokens.Code[]
  readonly application: Tokens.Code
}

/** Reads the first paragraph, the first two blocks of commands and the first program. */
export function readIntroduction(readme: string): Introduction {
  const tokens = lexer(readme)
  const blocks = tokens.filter((token): token is Tokens.Code => token.type === 'code')
  const paragraph = tokens.find((token) => token.type === 'paragraph') as Tokens.Paragraph
  return {
    summary: paragraph.text.replaceAll('\n', ' '),
    commands: blocks.filter(({ lang }) => lang === 'sh').slice(0, 2),
    application: blocks.find(({ lang }) => lang === 'ts')!,
  }
}

const captions = ['Try the example', 'Your own application']

const renderCard = ({ title, pages }: Group): string => {
  const items = pages.map(({ name, title: text, description }) => {
    return `<li><a href="${name}.html">${escapeXml(text)}</a>: ${escapeXml(description)}</li>`
  })
  return `<section><h3>${escapeXml(title)}</h3>\n<ul>${items.join('\n')}</ul></section>`
}

interface LandingOptions {
  readonly introduction: Introduction
  /** The Markdown of docs/only-here.md. */
  readonly onlyHere: string
  readonly groups: readonly Group[]
  readonly frames: readonly Frame[]
  readonly resolve: ResolveLink
}

function renderFrame({ caption, terminal, picture, description = '' }: Frame): string {
  const shown =
    picture === undefined
      ? `<pre><code>${escapeXml(terminal ?? '')}</code></pre>`
      : renderPicture(picture, description)
  return `<li><figure>${shown}<figcaption>${escapeXml(caption)}</figcaption></figure></li>`
}

/** Renders frames beside each other, in a list that scrolls. */
const renderRecording = (frames: readonly Frame[]): string =>
  frames.length === 0
    ? ''
    : `<section class="recording">
<h2>From a command to a test</h2>
<ol tabindex="0" aria-label="Recording of the tutorial">${frames.map(renderFrame).join('\n')}</ol>
<p>The <a href="tutorial.html">tutorial</a> builds this application in an hour.</p>
</section>`

/** Renders the content of the page. */
export function renderLanding(options: LandingOptions): string {
  const { introduction, onlyHere, groups, frames, resolve } = options
  const { summary, commands, application } = introduction
  const [lead = '', ...rest] = summary.split(/(?<=\.) /)
  const boxes = commands.map(
    ({ text }, at) => `<div><h2>${captions[at]}</h2>\n${renderCode(text, 'sh')}</div>`,
  )
  const targets = { link: resolve, picture: () => undefined }
  const table = renderMarkdown(onlyHere.replace(/^# /, '## '), targets).html
  return `<div class="hero">
<h1>${escapeXml(lead.replace(/\.$/, ''))}</h1>
<p>${escapeXml(rest.join(' '))}</p>
<p class="actions"><a class="primary" href="getting-started.html">Getting started</a> <a href="coming-from.html">Coming from another framework</a></p>
</div>
<div class="commands">${boxes.join('\n')}</div>
${renderRecording(frames)}
<section class="only-here">${table}</section>
<h2>An application in 30 lines</h2>
${renderCode(application.text, 'ts')}
<h2>All pages</h2>
<div class="cards">${groups.map(renderCard).join('\n')}</div>`
}
