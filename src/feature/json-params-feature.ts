/** Lets a controller read JSON bodies as parameters. */
import type { ControllerClass, Ctor } from '../action.ts'
import { isJsonType, jsonFields } from '../http.ts'
import { BodyParams } from './body-params.ts'

/** What `JsonParamsFeature` adds. */
export interface HasJsonParams {
  /**
   * The parsed body itself, once read: nested values as they were sent. `undefined` for other bodies.
   * What it holds is unchecked.
   */
  readonly jsonBody: unknown
}

const bodies = new BodyParams({
  isType: isJsonType,
  read: (request) => request.json(),
  fieldsOf: jsonFields,
})

/**
 * The members of a JSON object are form parameters: `params.get('name')`, nested ones by dotted keys
 * (`home.city`, `pets.0.name`), lists of plain values by `multiParams`. `null` is a blank field.
 * @throws HttpError 400 `http.json-invalid`: before any filter runs
 * @spec Parameter access
 */
export const JsonParamsFeature = <B extends ControllerClass>(Base: B): B & Ctor<HasJsonParams> => {
  abstract class JsonParamsFeature extends Base implements HasJsonParams {
    static {
      bodies.register(this)
    }

    get jsonBody(): unknown {
      return bodies.of(this.ctx)
    }
  }
  return JsonParamsFeature
}
