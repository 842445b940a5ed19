/** Streams a large view: first the layout up to `body`, then the parts of the page, then the rest of the layout. */
import { randomBytes } from 'node:crypto'
import { FwError } from '../base.ts'
import type { PageValues, StreamedView, ViewEngine } from './engine.ts'
import { mapTemplateError } from './map-template-error.ts'
import { viewNotFound } from './missing-view.ts'
import { renderLayout, type RenderRequest } from './render-view.ts'
import { checkValues } from './value-check.ts'
import { viewChannel, ViewEvent } from './view-event.ts'

/** A streamed page. It is a string if its first part is the whole page. */
export type StreamedPage = string | AsyncGenerator<string, void>

type Parts = AsyncIterator<string, string>

/**
 * Renders the layout and the first part of the page. The other parts are rendered when the consumer reads them, so that
 * a slow client applies back-pressure to the template.
 * @throws FwError as `renderView`, and `view.not-streamable` for a layout that prints the page twice. A later error
 * rejects the iteration. The sender must then close the connection, because a normal end would look like a complete
 * page.
 */
export function streamView(engine: ViewEngine, request: RenderRequest): Promise<StreamedPage> {
  if (!viewChannel.active) return beginStream(engine, request)
  const event = new ViewEvent(request.view, request.format ?? 'html')
  return viewChannel.trace(event, () => beginStream(engine, request))
}

async function beginStream(engine: ViewEngine, request: RenderRequest): Promise<StreamedPage> {
  const format = request.format ?? 'html'
  const view = await engine.findStreamed(request.view, format)
  if (view === undefined) throw viewNotFound(engine, request.view, format)
  checkValues(view, request.values)
  const page = new StreamPage()
  const parts = begin(view, request, page.values)
  const first = await nextOf(parts)
  const mark = `<!--${randomBytes(16).toString('hex')}-->`
  const around = format === 'html' ? await renderLayout(engine, request, page.values, mark) : mark
  const [head = '', tail, twice] = around.split(mark)
  if (twice !== undefined) throw printsTwice(view)
  // The layout does not print `body`, so that the page is not sent.
  if (tail === undefined) return head
  if (first.done === true) return head + first.value + tail
  page.close(view.file)
  return rest(parts, head + first.value, tail)
}

/** Starts rendering the page. A nonce that the page needs is created now, before the response headers are sent. */
function begin(view: StreamedView, { values, helper }: RenderRequest, page: PageValues): Parts {
  if (view.usesNonce) void helper.cspNonce
  return view.render(values, helper, page)
}

async function nextOf(parts: Parts): Promise<IteratorResult<string, string>> {
  try {
    return await parts.next()
  } catch (error) {
    mapTemplateError(error)
    throw error
  }
}

async function* rest(parts: Parts, first: string, tail: string): AsyncGenerator<string, void> {
  try {
    yield first
    for (;;) {
      const { done, value } = await nextOf(parts)
      if (done !== true) yield value
      else return yield value + tail
    }
  } finally {
    await parts.return?.('')
  }
}

/** The values that a page sets for its layout. Setting a value throws after the layout has been rendered. */
class StreamPage {
  readonly values: PageValues
  #sentFile: string | undefined

  constructor() {
    this.values = new Proxy(Object.create(null) as PageValues, {
      set: (target, name: string, value: unknown) => {
        if (this.#sentFile !== undefined) throw setTooLate(this.#sentFile, name)
        target[name] = value
        return true
      },
    })
  }

  close(file: string): void {
    this.#sentFile = file
  }
}

function setTooLate(file: string, name: string): FwError {
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
