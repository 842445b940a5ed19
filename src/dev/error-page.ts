/** The page of an error for whoever develops the application: what happened, where, and on which way. */
import { escapeXml as escape } from '../http.ts'
import type { ErrorReport } from './error-report.ts'
import { pageStyle } from './page-style.ts'
import type { SourcePlace } from './source-place.ts'
import type { StackLine } from './stack-lines.ts'

/** A page around an error; texts of a caller's own parts are HTML already. */
export interface ErrorPage {
  /** Above the message: what was being done. */
  readonly kicker: string
  readonly error: ErrorReport
  /** Between the source and the stack. */
  readonly before?: string
  /** Below the stack. */
  readonly after?: string
  /** Of the page's style. */
  readonly nonce: string
}

/** The whole page: no script, everything escaped. */
export function errorPage({ kicker, error, before = '', after = '', nonce }: ErrorPage): string {
  const told = error.code === undefined ? error.message : `${error.message} (${error.code})`
  const title = told.split('\n', 1)[0]!.slice(0, 120)
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">' +
    `<title>${escape(title)}</title><style nonce="${escape(nonce)}">${pageStyle}</style></head><body><main>` +
    `<header><p>${escape(kicker)}</p><h1>${escape(told)}</h1><p>${escape(error.name)}</p></header>` +
    `${placePart(error.place)}${before}${stackPart(error)}${after}</main></body></html>`
  )
}

function placePart(place: SourcePlace | undefined): string {
  if (place === undefined) return ''
  const { file, line, column, frame } = place
  const shown = [file, line, column].filter((part) => part !== undefined).join(':')
  const lines = frame.split('\n').map((text) => {
    const element = text.startsWith('>') ? 'mark' : 'span'
    return `<${element}>${escape(text)}</${element}>`
  })
  const source = frame === '' ? '' : `<pre tabindex="0"><code>${lines.join('')}</code></pre>`
  return `<section><h2>${escape(shown)}</h2>${source}</section>`
}

function stackPart({ stack, causes }: ErrorReport): string {
  const own = stack.length === 0 ? '' : `<h2>Stack</h2>${stackList(stack)}`
  const led = causes.map(
    ({ message, stack: lines }) =>
      `<h2>Caused by</h2><pre class="wrap">${escape(message)}</pre>${stackList(lines)}`,
  )
  return `<section>${own}${led.join('')}</section>`
}

/** Frames that are not the application's are folded, run by run. */
function stackList(lines: readonly StackLine[]): string {
  let items = ''
  for (let at = 0; at < lines.length;) {
    const line = lines[at]!
    if (line.own) {
      items += `<li class="own"><code>${escape(line.text)}</code></li>`
      at += 1
      continue
    }
    const next = lines.findIndex((other, index) => index > at && other.own)
    const end = next === -1 ? lines.length : next
    const folded = lines.slice(at, end).map(({ text }) => `<li><code>${escape(text)}</code></li>`)
    const count = folded.length === 1 ? '1 frame' : `${folded.length} frames`
    items += `<li><details><summary>${count} of Fw, packages and Node</summary><ol class="stack">${folded.join('')}</ol></details></li>`
    at = end
  }
  return `<ol class="stack">${items}</ol>`
}
