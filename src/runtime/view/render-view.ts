/** Renders a view, then the layout around it. */
import { isPromise } from '../base.ts'
import type { CompiledView, PageValues, ViewEngine, ViewFormat, ViewHelper } from './engine.ts'
import { mapTemplateError } from './map-template-error.ts'
import { fragmentNotFound, layoutNotFound, viewNotFound } from './missing-view.ts'
import { SafeHtml } from './safe-html.ts'
import { checkValues } from './value-check.ts'
import { viewChannel, ViewEvent } from './view-event.ts'

/** One call of `render`. */
export interface RenderRequest {
  /** `/members/index`; the leading slash is optional. */
  readonly view: string
  /** `html` by default. Only HTML has a layout. */
  readonly format?: ViewFormat
  /** A layout that must exist; `false` for none; absent: `default` if there is one. */
  readonly layout?: string | false
  /** The values given to `render`, and those of the request scope for names that `render` does not give. */
  readonly values: Readonly<Record<string, unknown>>
  /** The view helper, `s` in templates. */
  readonly helper: ViewHelper
}

const defaultLayout = 'default'

/**
 * The rendered page. A promise only if a template uses `await` or is not yet loaded.
 *
 * @throws FwError `view.not-found`, `view.layout-not-found`, `view.value-missing`, `view.value-wrong-type`; an error
 * thrown by a template keeps its class and gets a stack that names the template's line.
 * @spec General rules › 2, 3 and 4
 */
export function renderView(engine: ViewEngine, request: RenderRequest): string | Promise<string> {
  if (!viewChannel.active) return render(engine, request)
  const event = new ViewEvent(request.view, request.format ?? 'html')
  return viewChannel.trace(event, () => render(engine, request))
}

function render(engine: ViewEngine, request: RenderRequest): string | Promise<string> {
  const found = engine.find(request.view, request.format ?? 'html')
  return isPromise(found)
    ? found.then((view) => renderFound(engine, request, view))
    : renderFound(engine, request, found)
}

function renderFound(
  engine: ViewEngine,
  request: RenderRequest,
  view: CompiledView | undefined,
): string | Promise<string> {
  const format = request.format ?? 'html'
  if (view === undefined) throw viewNotFound(engine, request.view, format)
  const page: PageValues = Object.create(null) as PageValues
  const body = run(view, request.values, request.helper, page)
  if (format !== 'html') return body
  return isPromise(body)
    ? body.then((text) => renderLayout(engine, request, page, text))
    : renderLayout(engine, request, page, body)
}

/**
 * A rendered partial, or a view without its layout, in HTML. What it sets for a layout is dropped.
 * @throws as `renderView`
 */
export function renderFragment(
  engine: ViewEngine,
  request: RenderRequest,
): string | Promise<string> {
  if (!viewChannel.active) return renderAlone(engine, request)
  return viewChannel.trace(new ViewEvent(request.view, 'html'), () => renderAlone(engine, request))
}

/** Whether the application has that partial in HTML. */
export const hasPartial = (engine: ViewEngine, name: string): boolean =>
  engine.fragmentNames().includes(name)

function renderAlone(engine: ViewEngine, request: RenderRequest): string | Promise<string> {
  const { view, values, helper } = request
  const show = (found: CompiledView | undefined): string | Promise<string> => {
    if (found === undefined) throw fragmentNotFound(engine, view)
    return run(found, values, helper, Object.create(null) as PageValues)
  }
  const found = engine.findFragment(view)
  return isPromise(found) ? found.then(show) : show(found)
}

/** The layout that the page selects by `set('layout', name)`, else that of the request. An empty name means none. */
function layoutOf(request: RenderRequest, page: PageValues): string | false {
  const own = page['layout']
  if (own === false || own === '') return false
  return typeof own === 'string' ? own : (request.layout ?? defaultLayout)
}

/** Renders the layout around `body`; returns `body` if there is no layout. */
export function renderLayout(
  engine: ViewEngine,
  request: RenderRequest,
  page: PageValues,
  body: string,
): string | Promise<string> {
  const name = layoutOf(request, page)
  if (name === false) return body
  const found = engine.findLayout(name)
  const finish = (layout: CompiledView | undefined): string | Promise<string> => {
    if (layout !== undefined) {
      return run(
        layout,
        { ...request.values, ...page, body: new SafeHtml(body) },
        request.helper,
        page,
      )
    }
    if (name === defaultLayout && request.layout === undefined) return body
    throw layoutNotFound(name)
  }
  return isPromise(found) ? found.then(finish) : finish(found)
}

function run(
  view: CompiledView,
  values: Readonly<Record<string, unknown>>,
  helper: ViewHelper,
  page: PageValues,
): string | Promise<string> {
  checkValues(view, values)
  try {
    const out = view.render(values, helper, page)
    return isPromise(out) ? out.catch(rethrow) : out
  } catch (error) {
    return rethrow(error)
  }
}

function rethrow(error: unknown): never {
  mapTemplateError(error)
  throw error
}
