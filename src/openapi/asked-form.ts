/** Asks a controller for a form as a request of its route would, to read what the form judges by. */
import type { FwContext } from '../action.ts'
import type { Application, MountedRoute } from '../app.ts'
import type { HttpRequest } from '../http.ts'
import { Validation } from '../validation.ts'

const nothing = {
  declaredLength: undefined,
  isEmpty: true,
  bytes: async () => new Uint8Array(),
  stream: () => new ReadableStream<Uint8Array>({ start: (controller) => controller.close() }),
  consume: async () => {},
}

/** A request that asks for nothing: no headers, no body. */
const asking = (method: string, target: string): HttpRequest => ({
  method,
  target,
  mountPath: '',
  httpVersion: '1.1',
  scheme: 'http',
  host: 'localhost',
  remoteAddress: '127.0.0.1',
  body: nothing,
  signal: new AbortController().signal,
  aborted: false,
  header: () => undefined,
  headers: () => [],
})

/** Where a form is looked for. */
export interface AskedForm {
  readonly application: Application
  readonly route: MountedRoute
  /** A path of the route. */
  readonly path: string
  /** The method of the controller that gives it. */
  readonly name: string
}

type Controller = Readonly<Record<string, ((ctx: FwContext) => unknown) | undefined>>

const methodOf = ({ mounted }: MountedRoute, name: string): unknown =>
  (mounted.controllerClass.prototype as Controller)[name]

/** Whether the route's controller has a method of this name that is not a route's action: to ask that would be to act. */
export function hasForm({ routes }: Application, route: MountedRoute, name: string): boolean {
  const method = methodOf(route, name)
  const isActed = routes.some((each) => each.action === name && methodOf(each, name) === method)
  return typeof method === 'function' && !isActed
}

/**
 * The form, unjudged; `undefined` when the method gives something else.
 * @throws whatever the method throws without the parameters or the rows that it expects
 */
export async function askForm(asked: AskedForm): Promise<Validation | undefined> {
  const { application, route, path, name } = asked
  const ctx = application.contextOf(asking(route.method, path))
  const Controller = route.mounted.controllerClass as unknown as new (ctx: FwContext) => Controller
  const form = await new Controller(ctx)[name]?.(ctx)
  return form instanceof Validation ? form : undefined
}
