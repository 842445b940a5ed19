/** Renders a large view in parts: the layout's head goes first, its tail last. */
import { randomBytes } from 'node:crypto'
import { FwError } from '../base.ts'
import type { PageValues, StreamedView, ViewEngine } from './engine.ts'
import { mapTemplateError } from './map-template-error.ts'
import { viewNotFound } from './missing-view.ts'
import { renderLayout, type RenderRequest } from './render-view.ts'
import { checkValues } from './value-check.ts'

/** What goes out of a page whose first part is made: a text when that is all of it. */
export type StreamedPage = string | AsyncGenerator<string, void>

type Parts = AsyncIterator<string, string>

/**
 * The page with its layout, as far as it is made: everything up to the end of the first part, the layout with it. The
 * rest is made as it is taken, so that a reader who is slow holds the template back.
 *
 * @throws FwError as `renderView`, and `view.not-streamable` for a layout that prints the page twice. What fails later
 *   fails in the iteration: whoever sends the parts must cut the response then, for its end would look like the page's.
 */
export async function streamView(
  engine: ViewEngine,
  request: RenderRequest,
): Promise<StreamedPage> {
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
  // A layout that prints no body shows none of the page.
  if (tail === undefined) return head
  if (first.done === true) return head + first.value + tail
  page.close(view.file)
  return rest(parts, head + first.value, tail)
}

/** A nonce that the page needs is made before the headers leave. */
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

/** The values that a page hands to its layout, until the layout is rendered. */
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
