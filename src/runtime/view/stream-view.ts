/** Streams a large view: first the layout up to `body`, then the parts of the page, then the rest of the layout. */
import { randomBytes } from 'node:crypto'
import { FwError } from '../base.ts'
import type { PageValues, StreamedView, ViewEngine } from './engine.ts'
import { viewNotFound } from './missing-view.ts'
import {
  allowStyles,
  publishEvents,
  renderLayout,
  rethrow,
  type RenderRequest,
} from './render-view.ts'
import { checkValues } from './value-check.ts'

/** A streamed page. It is a string if its first part is the whole page. */
export type StreamedPage = string | AsyncGenerator<string, void>

type Parts = ReturnType<StreamedView['render']>

/**
 * Renders the layout and the first part of the page. The other parts are rendered when the consumer reads them, so that
 * a slow client applies back-pressure to the template.
 * @throws FwError as `renderView`, and `view.not-streamable` for a layout that prints the page twice. A later error
 * rejects the iteration. The sender must then close the connection, because a normal end would look like a complete
 * page.
 */
export function streamView(engine: ViewEngine, request: RenderRequest): Promise<StreamedPage> {
  return publishEvents(engine, request, beginStream)
}

async function beginStream(engine: ViewEngine, request: RenderRequest): Promise<StreamedPage> {
  const format = request.format ?? 'html'
  const view = await engine.findStreamed(request.view, format)
  if (view === undefined) throw viewNotFound(engine, request.view, format)
  checkValues(view, request.values)
  let isSent = false
  const page = new Proxy(Object.create(null) as PageValues, {
    set(target, name: string, value: unknown) {
      if (isSent) throw setTooLate(view, name)
      target[name] = value
      return true
    },
  })
  // Create a nonce that the page needs now, before the response headers are sent.
  if (view.usesNonce) void request.helper.cspNonce
  allowStyles(view, request.helper)
  const parts = view.render(request.values, request.helper, page)
  const first = await parts.next().catch(rethrow)
  const mark = `<!--${randomBytes(16).toString('hex')}-->`
  const around = format === 'html' ? await renderLayout(engine, request, page, mark) : mark
  const [head = '', tail, twice] = around.split(mark)
  if (twice !== undefined) throw printsTwice(view)
  // The layout does not print `body`, so that the page is not sent.
  if (tail === undefined) return head
  if (first.done === true) return head + first.value + tail
  isSent = true
  return rest(parts, head + first.value, tail)
}

async function* rest(parts: Parts, first: string, tail: string): AsyncGenerator<string, void> {
  try {
    yield first
    for (;;) {
      const { done, value } = await parts.next().catch(rethrow)
      if (done !== true) yield value
      else return yield value + tail
    }
  } finally {
    await parts.return?.('')
  }
}

function setTooLate({ file }: StreamedView, name: string): FwError {
  return new FwError(
    'view.set-too-late',
    `WEB-INF/${file} sets '${name}' for its layout after the first part of the page has left: set it before the first loop.`,
  )
}

function printsTwice({ file }: StreamedView): FwError {
  return new FwError(
    'view.not-streamable',
    `The layout of WEB-INF/${file} prints its body more than once; a page in parts goes out once: use another layout or render.`,
  )
}
