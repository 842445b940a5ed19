/** Renders a view, then the layout around it. */
import { isPromise, WorkChannel, WorkEvent } from '../base.ts'
import type {
  CompiledView,
  PageValues,
  ViewEngine,
  ViewFormat,
  ViewHelper,
  ViewMetadata,
} from './engine.ts'
import { mapTemplateError } from './map-template-error.ts'
import { fragmentNotFound, layoutNotFound, viewNotFound } from './missing-view.ts'
import { SafeHtml } from './safe-html.ts'
import { checkValues } from './value-check.ts'
import type { Views } from './views.ts'

/** The event of a view that is rendered with its layout. For a streamed view, it ends with the first part. */
export class ViewEvent extends WorkEvent {
  /** The name of the view, such as `/members/index`. */
  readonly view: string
  readonly format: string

  constructor(view: string, format: string) {
    super()
    this.view = view
    this.format = format
  }
}

/** The channels `fw:view:start` and `fw:view:end`. */
export const viewChannel: WorkChannel<ViewEvent> = new WorkChannel('fw:view')

type OtherFormat = `${string}.json` | `${string}.xml` | `${string}.txt`

/** The name of a partial or view in HTML, such as `/members/_row`. Any string is accepted while `Views` is empty. */
export type FragmentName = [keyof Views] extends [never]
  ? string
  : Exclude<keyof Views & string, OtherFormat>

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
  return publishEvents(engine, request, render)
}

/** Runs `work`, and publishes its events if the view channels have subscribers. */
export function publishEvents<T>(
  engine: ViewEngine,
  request: RenderRequest,
  work: (engine: ViewEngine, request: RenderRequest) => T,
): T {
  if (!viewChannel.active) return work(engine, request)
  const event = new ViewEvent(request.view, request.format ?? 'html')
  return viewChannel.trace(event, () => work(engine, request))
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

/** Renders a partial or view in HTML without layout. Drops the values that it sets for a layout. @throws as `renderView` */
export function renderFragment(
  engine: ViewEngine,
  request: RenderRequest,
): string | Promise<string> {
  return publishEvents(engine, request, renderAlone)
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

/** Returns the layout of `set('layout', name)` in the page, else that of the request. An empty name selects none. */
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

/** Permits the style attributes of a view. Must run before the response headers are sent. */
export function allowStyles({ styles = '' }: ViewMetadata, helper: ViewHelper): void {
  if (styles !== '') helper.allowStyles?.(styles)
}

/** Renders a template with checked values. @throws as `renderView` */
export function run(
  view: CompiledView,
  values: Readonly<Record<string, unknown>>,
  helper: ViewHelper,
  page: PageValues,
): string | Promise<string> {
  checkValues(view, values)
  allowStyles(view, helper)
  try {
    const out = view.render(values, helper, page)
    return isPromise(out) ? out.catch(rethrow) : out
  } catch (error) {
    return rethrow(error)
  }
}

/** Throws the error with the frames of templates in its stack. */
export function rethrow(error: unknown): never {
  mapTemplateError(error)
  throw error
}
