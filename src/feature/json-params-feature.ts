/** Lets a controller read JSON bodies as parameters. */
import { registrationsOf, type ControllerClass, type Ctor, type FwContext } from '../action.ts'
import { jsonFields } from '../http.ts'

/** What `JsonParamsFeature` adds. */
export interface HasJsonParams {
  /**
   * The parsed body itself, once read: nested values as they were sent. `undefined` for other bodies.
   * What it holds is unchecked.
   */
  readonly jsonBody: unknown
}

const bodies = new WeakMap<FwContext, unknown>()
const jsonType = /^application\/(?:json|[^;\s]+\+json)$/

function readJson(ctx: FwContext): Promise<void> | undefined {
  const { request } = ctx
  if (request.http.body.isEmpty || !jsonType.test(request.mediaType ?? '')) return undefined
  return request.json().then((value) => {
    bodies.set(ctx, value)
    ctx.takeForm(jsonFields(value))
  })
}

/**
 * The members of a JSON object are form parameters: `params.get('name')`, nested ones by dotted keys
 * (`home.city`, `pets.0.name`), lists of plain values by `multiParams`. `null` is a blank field.
 * @throws HttpError 400 `http.json-invalid`: before any filter runs
 * @spec Parameter access
 */
export const JsonParamsFeature = <B extends ControllerClass>(Base: B): B & Ctor<HasJsonParams> => {
  abstract class JsonParamsFeature extends Base implements HasJsonParams {
    static {
      registrationsOf(this).add('body', (_controller, ctx: FwContext) => readJson(ctx))
    }

    get jsonBody(): unknown {
      return bodies.get(this.ctx)
    }
  }
  return JsonParamsFeature
}
