/** What each action of a resource answers; it stands and falls with `answer-actions`. */
import type { BodyShape, ResponseDescription, RouteDescription } from '../controller.ts'
import { ParamType, toSnakeCase, type ParamTypes } from '../params.ts'
import type { JsonSchema } from '../validation.ts'
import type { EntityFormat } from './entity-body.ts'
import { programTypes } from './resource-body.ts'
import type { ResolvedOptions } from './resource-options.ts'

/** Where the fields of a body come from. */
export interface SentToResource {
  readonly form: 'createForm' | 'updateForm'
  readonly types: ParamTypes
  /** PATCH: what is not sent is not judged. */
  readonly partial: boolean
}

/** What a document knows of the route. */
export interface ResourceRouteAsked {
  readonly action: string
  readonly method: string
  /** Where the suffix names it; else HTML, JSON and XML are told. */
  readonly format?: string | undefined
}

type Responses = NonNullable<RouteDescription['responses']>
/** What is told of an action. */
export interface Told extends RouteDescription {
  /** What is read of the body; absent where it is not. */
  readonly sends?: SentToResource
}

/** The messages of each field. */
export const errors: JsonSchema = {
  type: 'object',
  additionalProperties: { type: 'array', items: { type: 'string' } },
}
const anyObject: JsonSchema = { type: 'object' }
const page: JsonSchema = { type: 'string' }
const anything: JsonSchema = {}
const typeOf: Readonly<Record<EntityFormat, string>> = {
  json: 'application/json',
  xml: 'application/xml',
}

/** One resource, one representation or all of them. */
export class ResourceTeller {
  readonly #options: ResolvedOptions
  readonly #asked: ResourceRouteAsked
  readonly entity: ParamTypes | undefined

  constructor(options: ResolvedOptions, asked: ResourceRouteAsked) {
    this.#options = options
    this.#asked = asked
    const { columns } = options.model
    this.entity =
      columns &&
      Object.fromEntries(
        Object.entries(programTypes(columns)).map(([key, type]) => [toSnakeCase(key), type]),
      )
  }

  get #hasPages(): boolean {
    return this.#asked.format === undefined && this.#options.hasPages
  }

  get #formats(): readonly EntityFormat[] {
    const { format } = this.#asked
    return format === 'json' || format === 'xml' ? [format] : ['json', 'xml']
  }

  /** The structure of XML is that of JSON, and is told by it. */
  #content(json: BodyShape, withPage = this.#hasPages): Record<string, BodyShape> {
    const content: Record<string, BodyShape> = withPage ? { 'text/html': page } : {}
    for (const format of this.#formats)
      content[typeOf[format]] = format === 'json' ? json : anything
    return content
  }

  #read(json: BodyShape, headers: ResponseDescription['headers'] = {}): Responses {
    return {
      200: { content: this.#content(json), headers: { ETag: ParamType.String, ...headers } },
    }
  }

  get #negotiated(): Responses {
    return this.#asked.format === undefined
      ? { 406: `It is there as ${this.#hasPages ? 'HTML, ' : ''}JSON and XML alone.` }
      : {}
  }

  get #invalid(): Responses {
    return {
      400: { description: 'What is wrong with each field.', content: this.#content(errors) },
      415: 'The body is of a type that is not read.',
    }
  }

  /** A parent may be missing as well. */
  get #found(): Responses {
    return { 404: 'There is none.' }
  }

  get #versioned(): Responses {
    const { requireIfMatch } = this.#options
    return {
      412: 'It has changed since the version that If-Match names.',
      ...(requireIfMatch ? { 428: 'If-Match must name the version that is changed.' } : {}),
    }
  }

  get #ifMatch(): Told {
    const { requireIfMatch } = this.#options
    const must = requireIfMatch && (!this.#hasPages || this.#asked.method !== 'POST')
    return { headers: { 'If-Match': must ? ParamType.String : ParamType.NullableString } }
  }

  /** A page says 302 or 303, a program 200 without a body. */
  #done(redirect: number): Responses {
    return {
      ...(this.#hasPages ? { [redirect]: redirected } : {}),
      200: 'Done; the body is empty.',
    }
  }

  list(): Told {
    const { resourcesName, pageSize, parent } = this.#options
    const size = { type: 'integer', minimum: 1, maximum: 200, default: pageSize } as const
    return {
      summary: `Lists ${words(resourcesName)}`,
      query: { page: { type: 'integer', minimum: 1, default: 1 }, size },
      responses: {
        ...this.#read([this.entity ?? anyObject], {
          'X-Total-Count': ParamType.Long,
          Link: ParamType.String,
        }),
        ...this.#negotiated,
        ...(parent === undefined ? {} : this.#found),
      },
    }
  }

  show(): Told {
    return {
      summary: `Shows one ${this.#one}`,
      responses: { ...this.#read(this.entity ?? anyObject), ...this.#negotiated, ...this.#found },
    }
  }

  form(summary: string, isFound: boolean): Told {
    return {
      summary: `${summary} ${this.#one}`,
      responses: { 200: { body: page, type: 'text/html' }, ...(isFound ? this.#found : {}) },
    }
  }

  create(): Told {
    const { createFormStrongParameters: types, parent } = this.#options
    return {
      summary: `Creates one ${this.#one}`,
      sends: { form: 'createForm', types: programTypes(types), partial: false },
      responses: {
        ...(this.#hasPages ? { 302: redirected } : {}),
        201: {
          description: 'Created; the body is empty.',
          headers: { Location: ParamType.String },
        },
        ...this.#invalid,
        ...this.#negotiated,
        ...(parent === undefined ? {} : this.#found),
      },
    }
  }

  update(): Told {
    const { updateFormStrongParameters: types } = this.#options
    const partial = this.#asked.method === 'PATCH'
    return {
      ...this.#ifMatch,
      summary: `Changes ${partial ? 'what is sent of ' : ''}one ${this.#one}`,
      sends: { form: 'updateForm', types: programTypes(types), partial },
      responses: {
        ...this.#done(302),
        ...this.#invalid,
        ...this.#negotiated,
        ...this.#found,
        ...this.#versioned,
      },
    }
  }

  destroy(): Told {
    return {
      ...this.#ifMatch,
      summary: `Deletes one ${this.#one}`,
      responses: {
        ...this.#done(303),
        ...this.#negotiated,
        ...this.#found,
        409: 'Other records need it, so it was not deleted.',
        ...this.#versioned,
      },
    }
  }

  get #one(): string {
    return words(this.#options.resourceName)
  }

  /** Of all routes, whatever their action. */
  get path(): NonNullable<RouteDescription['path']> {
    const { model, parent } = this.#options
    const ids: Record<string, ParamType<unknown>> = { id: model.idType }
    for (let at = parent; at !== undefined; at = at.parent) ids[at.param] = at.model.idType
    return ids
  }
}

const words = (name: string): string => toSnakeCase(name).replace(/[_-]/g, ' ')

const redirected: ResponseDescription = {
  description: 'A page leads on.',
  headers: { Location: ParamType.String },
}

/** By the name of the action. */
export const told: Readonly<Record<string, (teller: ResourceTeller) => Told>> = {
  showResources: (teller) => teller.list(),
  showResource: (teller) => teller.show(),
  newResource: (teller) => teller.form('The form for a new', false),
  createResource: (teller) => teller.create(),
  editResource: (teller) => teller.form('The form to change one', true),
  updateResource: (teller) => teller.update(),
  destroyResource: (teller) => teller.destroy(),
}
