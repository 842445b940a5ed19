/** What a route answers, by status. */
import type {
  BodyShape,
  DescribedModel,
  ResponseDescription,
  RouteDescription,
} from '../controller.ts'
import { reasonPhrase } from '../http.ts'
import { toUpperCamelCase } from '../params.ts'
import type { DescribedResourceRoute } from '../resource.ts'
import type { JsonSchema } from '../validation.ts'
import type { Content, Response } from './document.ts'
import { errorContent } from './error-content.ts'
import { adoptedSchema } from './adopted-schema.ts'
import { answeredSchema } from './param-schema.ts'
import type { RouteUnderWay } from './route-under-way.ts'
import { schemaName } from './schema-set.ts'
import { answeredShapeSchema, isParamType, rowSchema } from './shape-schema.ts'

type Responses = NonNullable<RouteDescription['responses']>

/** Everything that any response of the route needs to know. */
class ResponseTeller {
  readonly #at: RouteUnderWay
  readonly #resource: DescribedResourceRoute | undefined

  constructor(at: RouteUnderWay, resource: DescribedResourceRoute | undefined) {
    this.#at = at
    this.#resource = resource
  }

  #schema(shape: BodyShape): JsonSchema {
    const { schemas, rowName } = this.#at
    const resource = this.#resource
    if (Array.isArray(shape)) return { type: 'array', items: this.#schema(shape[0] as BodyShape) }
    if (resource !== undefined && shape === resource.entity)
      return schemas.named(schemaName(resource.resourceName), rowSchema(resource.entity))
    if (shape === resource?.errors) return schemas.named('FieldErrors', resource.errors)
    const named = (model: DescribedModel, schema: JsonSchema): JsonSchema => {
      const name = rowName(model)
      return name === undefined ? schema : schemas.named(name, schema)
    }
    const { group, name } = this.#at
    const prefix = toUpperCamelCase(group) + toUpperCamelCase(name)
    return schemas.titled(adoptedSchema(schemas, prefix, answeredShapeSchema(shape, named)))
  }

  #content({ body, type = 'application/json', content }: ResponseDescription): Content {
    const all = content ?? (body === undefined ? {} : { [type]: body })
    return Object.fromEntries(
      Object.entries(all).map(([each, shape]) => {
        const schema = this.#schema(shape)
        return [each, Object.keys(schema).length === 0 ? {} : { schema }]
      }),
    )
  }

  response(status: number, said: string | ResponseDescription): Response {
    const given = typeof said === 'string' ? { description: said } : said
    const { description = reasonPhrase(status), headers = {} } = given
    const own = this.#content(given)
    const content = status >= 400 ? { ...this.errors, ...own } : own
    const told = Object.entries(headers).map(([name, field]) => [
      name,
      { schema: isParamType(field) ? answeredSchema(field) : field },
    ])
    return {
      description,
      ...(told.length > 0 ? { headers: Object.fromEntries(told) } : {}),
      ...(Object.keys(content).length > 0 ? { content } : {}),
    }
  }

  get errors(): Content {
    return errorContent(this.#at.schemas, this.#at.template.format)
  }
}

const anyJson = { 'application/json': {} }

/** What a route that is told of may answer besides, whatever its action does. */
function always({ isUnsafe }: RouteUnderWay, said: Responses, hasBody: boolean): Responses {
  return {
    ...(!isUnsafe && said[200] !== undefined
      ? { 304: 'What the client has is what there is.' }
      : {}),
    ...(hasBody
      ? {
          400: { description: 'The request cannot be read, or is not valid.', content: anyJson },
          413: 'The body is too large.',
        }
      : {}),
    ...(isUnsafe ? { 403: 'The request came from another site, or its token is missing.' } : {}),
  }
}

/** By status; `default` is whatever else there may be: errors, or all that the action answers where nothing is said. */
export function describeResponses(
  at: RouteUnderWay,
  said: Responses,
  resource: DescribedResourceRoute | undefined,
  hasBody: boolean,
): Readonly<Record<string, Response>> {
  const teller = new ResponseTeller(at, resource)
  const isTold = Object.keys(said).some((status) => Number(status) < 400)
  const all: Responses = { ...(isTold ? always(at, said, hasBody) : {}), ...said }
  const byStatus = Object.entries(all).map(([status, each]) => [
    status,
    teller.response(Number(status), each),
  ])
  const otherwise: Response = isTold
    ? // An action of the application's own may answer its errors as it likes.
      { description: 'An error.', content: { ...teller.errors, ...(resource ? {} : anyJson) } }
    : { description: 'What the action answers.' }
  return { ...Object.fromEntries(byStatus), default: otherwise }
}
