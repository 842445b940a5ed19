/** `JsonParamsFeature` and `XmlParamsFeature`: parse JSON and XML bodies before any filter runs. */
import {
  inheritedRegistrations,
  Registrations,
  type FwContext,
  type FwRequest,
  type Step,
} from '../action.ts'
import { HttpError, isPromise, type MaybePromise } from '../base.ts'
import { fieldsFromJson, fieldsFromXml, isJsonType, isXmlType, type FieldMap } from '../http.ts'
import { filterTrait, type FilterTrait } from './trait.ts'

interface BodyParser {
  readonly type: string
  readonly accepts: (mediaType: string) => boolean
  readonly parse: (request: FwRequest) => MaybePromise<unknown>
  readonly toFields: (body: unknown) => FieldMap
}

/** The key of the setting by which a controller checks the types of request bodies itself. */
export const checksBodyTypes: unique symbol = Symbol('checks body types')

/** Step of the stage `body` → the media type that the step reads. */
export const bodyTypes = new Map<Step, string>()

/** Responds 415 to a body that no step has read. Runs after all parsers, also those of traits mixed in later. */
function rejectUnreadBody(controller: object, ctx: FwContext): Promise<void> | undefined {
  const { request, plan } = ctx
  const { isEmpty, declaredLength } = request.http.body
  if (isEmpty || request.isFormRead || plan?.settings.has(checksBodyTypes) === true)
    return undefined
  if (declaredLength !== undefined) throw unreadBody(controller, ctx)
  // A body of unknown length may be empty: `fetch` sets a content type even for the body `''`.
  return request.bytes().then((bytes) => {
    if (bytes.length > 0) throw unreadBody(controller, ctx)
  })
}

function unreadBody(controller: object, { request, response }: FwContext): HttpError {
  const steps = inheritedRegistrations(controller.constructor).flatMap((one) => one.steps)
  const own = steps.flatMap(({ step }) => bodyTypes.get(step) ?? [])
  const types = [...own, 'application/x-www-form-urlencoded'].join(', ')
  response.headers.set('Accept', types)
  const message =
    request.mediaType === undefined
      ? `Set Content-Type to the type of the body: ${types}.`
      : `The body is of a type that cannot be read here. Send ${types}.`
  return new HttpError(415, 'http.content-type-invalid', message)
}

/** Creates a trait that registers the parser, unless a base class has already registered it. */
function bodyTrait(name: string, { type, accepts, parse, toFields }: BodyParser): FilterTrait {
  const step: Step = (_controller: object, ctx: FwContext) => {
    const { request } = ctx
    if (request.http.body.isEmpty || !accepts(request.mediaType ?? '')) return undefined
    const set = (body: unknown): void => {
      request.parsedBody = body
      ctx.setForm(toFields(body))
    }
    const body = parse(request)
    return isPromise(body) ? body.then(set) : set(body)
  }
  bodyTypes.set(step, type)
  return filterTrait(name, (own, controllerClass) => {
    if (!Registrations.has(controllerClass, step)) own.add('body', step)
    if (!Registrations.has(controllerClass, rejectUnreadBody)) own.add('load', rejectUnreadBody)
  })
}

/**
 * Makes the members of a JSON object form parameters: `params.get('name')`. Nested members have dotted keys (`home.city`,
 * `pets.0.name`), or are read by `params.under('home')`; `multiParams` reads a list of plain values. `permit` gets the members
 * with their JSON types, so it distinguishes `null`, an empty list and an absent member. `request.parsedBody` is the body.
 * @throws HttpError, before any filter runs: 400 `http.json-invalid`; 415 `http.content-type-invalid` for a body of a type that
 * no feature of the controller reads
 * @spec Parameter access
 */
export const JsonParamsFeature: FilterTrait = bodyTrait('JsonParamsFeature', {
  type: 'application/json',
  accepts: isJsonType,
  parse: (request) => request.content.json(),
  toFields: fieldsFromJson,
})

/**
 * Makes the elements below the root of an XML body form parameters, like the members of a JSON body with `JsonParamsFeature`.
 * An empty element is a blank field. `request.parsedBody` is the body as equivalent JSON: elements that contain elements are
 * objects, repeated elements are lists, and all others are texts.
 * @throws HttpError, before any filter runs: 400 `http.xml-invalid`; 415 as `JsonParamsFeature`
 * @spec Parameter access
 */
export const XmlParamsFeature: FilterTrait = bodyTrait('XmlParamsFeature', {
  type: 'application/xml',
  accepts: isXmlType,
  parse: (request) => request.content.xml(),
  toFields: fieldsFromXml,
})
