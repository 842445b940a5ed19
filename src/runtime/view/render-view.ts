/** Renders a view, then the layout around it. */
import { isPromise } from '../base.ts'
import type { CompiledView, PageValues, ViewEngine, ViewFormat, ViewHelper } from './engine.ts'
import { mapTemplateError } from './map-template-error.ts'
import { fragmentNotFound, layoutNotFound, viewNotFound } from './missing-view.ts'
import { SafeHtml } from './safe-html.ts'
import { checkValues } from './value-check.ts'
import { viewChannel, ViewEvent } from './view-event.ts'

/** The parameters of a call of `render`. */
export interface RenderRequest {
  /** The name of the view, such as `/members/index`. The leading slash is optional. */
  readonly view: string
  /** The format; default `html`. Only HTML has a layout. */
  readonly format?: ViewFormat
  /** The name of a layout, which must exist, or `false` for no layout. By default the layout `default`, if it exists. */
  readonly layout?: string | false
  /** The values given to `render`. For names that `render` does not give, those of the request scope. */
  readonly values: Readonly<Record<string, unknown>>
  /** The view helper, `s` in templates. */
  readonly helper: ViewHelper
}

const defaultLayout = 'default'

/**
 * Renders a page. Returns a promise only if a template uses `await` or is not loaded yet.
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
 * Renders a partial, or a view without its layout, in HTML. Drops the values that it sets for a layout.
 * @throws as `renderView`
 */
export function renderFragment(
  engine: ViewEngine,
  request: RenderRequest,
): string | Promise<string> {
  if (!viewChannel.active) return renderAlone(engine, request)
  return viewChannel.trace(new ViewEvent(request.view, 'html'), () => renderAlone(engine, request))
}

/** Returns true if the application has a partial of this name in HTML. */
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

/**
 * Returns the layout that the page selects by `set('layout', name)`, otherwise the layout of the request. An empty name
 * selects no layout.
 */
function layoutOf(request: RenderRequest, page: PageValues): string | false {
  const own = page['layout']
  if (own === false || own === '') return false
  return typeof own === 'string' ? own : (request.layout ?? defaultLayout)
}

/** Renders the layout around `body`. Returns `body` itself if there is no layout. */
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
