/** Describes the routes of a resource for OpenAPI documents. Change it together with `resource-actions`. */
import { redirectStatus, type Ctor } from '../../runtime/action.ts'
import type {
  BodyShape,
  DescribedView,
  ResponseDescription,
  RouteDescription,
} from '../../runtime/controller.ts'
import { ParamType, toSnakeCase, type ParamTypes } from '../../runtime/params.ts'
import type { JsonSchema } from '../../runtime/validation.ts'
import { visibleColumns } from './json-schema.ts'
import {
  maxSearchLength,
  programTypes,
  traitOptions,
  type PageByKey,
  type ResolvedParent,
  type ResourceController,
} from '../../runtime/resource.ts'

/** The properties that select a route of a resource. */
interface ResourceRouteQuery {
  readonly action: string
  readonly method: string
  /** The format of the path suffix, such as `json`; absent for a path that negotiates HTML, JSON or XML. */
  readonly format?: string | undefined
}

type Responses = NonNullable<RouteDescription['responses']>

interface DescribedAction extends RouteDescription {
  /** The form that reads the request body, and its fields; absent for an action without a body. */
  readonly sends?: {
    /** The name of the controller method that returns the form. */
    readonly form: 'createForm' | 'updateForm'
    readonly types: ParamTypes
    /** True for PATCH, which validates only the fields that the request contains. */
    readonly partial: boolean
  }
}

/** The schema of validation errors: the list of messages of each invalid field. */
export const fieldErrors: JsonSchema = {
  type: 'object',
  additionalProperties: { type: 'array', items: { type: 'string' } },
}
/** The response if the record or its parent does not exist. */
const notFound: Responses = { 404: 'There is no such record.' }
const anyObject: JsonSchema = { type: 'object' }
const page: JsonSchema = { type: 'string' }
const anything: JsonSchema = {}

export interface DescribedResourceRoute extends DescribedAction {
  readonly resourceName: string
  /** The view of a record in JSON; `undefined` if the model declares no columns. */
  readonly entity: DescribedView | undefined
}

/**
 * Describes a route of `FwResource` or `FwApiResource`. Returns `undefined` for other controllers, and for actions that the
 * application added. The description of an overridden action has no responses.
 * @param controller an instance of the controller, from which settings are read; by default, they are read from the class
 */
export function describeResource(
  controllerClass: Ctor,
  query: ResourceRouteQuery,
  controller: object = controllerClass.prototype as object,
): DescribedResourceRoute | undefined {
  const describe = Object.hasOwn(actionDescribers, query.action)
    ? actionDescribers[query.action]
    : undefined
  if (describe === undefined || !isResource(controller)) return undefined
  const isRestricted = isOverridden(controllerClass, 'findResource')
  const describer = new ResourceDescriber(controller, query, isRestricted)
  const { resourceName } = controller
  const { path, entity } = describer
  const route = { ...describe(describer), path, resourceName, entity }
  return isOverridden(controllerClass, query.action) ? { ...route, responses: {} } : route
}

export const isResource = (controller: object): controller is ResourceController =>
  traitOptions in controller

function isOverridden(controllerClass: Ctor, action: string): boolean {
  let owner = controllerClass.prototype as object
  while (!Object.hasOwn(owner, action)) owner = Object.getPrototypeOf(owner) as object
  return !Object.hasOwn(owner, traitOptions)
}

/** Describes the actions of one resource, for one format or all of them. */
class ResourceDescriber {
  readonly #resource: ResourceController
  readonly #query: ResourceRouteQuery
  /** True if the client may not read every record that it writes. */
  readonly #isRestricted: boolean
  /** The words for a record. */
  readonly #one: string
  readonly entity: DescribedView | undefined

  constructor(resource: ResourceController, query: ResourceRouteQuery, isRestricted: boolean) {
    this.#resource = resource
    this.#query = query
    this.#isRestricted = isRestricted
    this.#one = words(resource.resourceName)
    const { hiddenFields, columns } = resource.model
    const whole = columns && { columns: visibleColumns({ columns, hiddenFields }), related: {} }
    const shown = resource.output ?? whole
    this.entity = shown && toProgramView(shown)
  }

  get #hasPages(): boolean {
    return this.#query.format === undefined && this.#resource[traitOptions].hasPages
  }

  get #parent(): ResolvedParent | undefined {
    return this.#resource[traitOptions].parent
  }

  /** Returns the content of a response to API clients. XML has the structure of JSON, but its content has no schema. */
  #programContent(json: BodyShape): Record<string, BodyShape> {
    const { format } = this.#query
    return {
      'application/json': json,
      ...(format === 'json' ? {} : { 'application/xml': anything }),
    }
  }

  #content(json: BodyShape): Record<string, BodyShape> {
    return { ...(this.#hasPages ? { 'text/html': page } : {}), ...this.#programContent(json) }
  }

  #read(json: BodyShape, headers: ResponseDescription['headers'] = {}): Responses {
    return {
      200: { content: this.#content(json), headers: { ETag: ParamType.String, ...headers } },
    }
  }

  get #record(): BodyShape {
    return this.entity ?? anyObject
  }

  get #negotiated(): Responses {
    return this.#query.format === undefined
      ? { 406: `Only ${this.#hasPages ? 'HTML, ' : ''}JSON and XML are available.` }
      : {}
  }

  get #invalid(): Responses {
    return {
      400: { description: 'The errors of each field.', content: this.#content(fieldErrors) },
      415: 'The type of the body is not supported.',
    }
  }

  get #versioned(): Responses {
    const { requireIfMatch } = this.#resource
    return {
      412: 'The record has changed since the version that If-Match names.',
      ...(requireIfMatch ? { 428: 'If-Match must name the version to change.' } : {}),
    }
  }

  get #ifMatch(): DescribedAction {
    const { requireIfMatch } = this.#resource
    const must = requireIfMatch && (!this.#hasPages || this.#query.method !== 'POST')
    return { headers: { 'If-Match': must ? ParamType.String : ParamType.NullableString } }
  }

  /** The redirect of a browser after a write; none if the path is not a page. */
  #redirect(status: number): Responses {
    return this.#hasPages ? { [status]: redirected } : {}
  }

  list(): DescribedAction {
    const { resourcesName, pageSize, pageByKey } = this.#resource
    const size = { type: 'integer', minimum: 1, maximum: 200, default: pageSize } as const
    const page = { type: 'integer', minimum: 1, default: 1 } as const
    return {
      summary: `Lists ${words(resourcesName)}`,
      query: pageByKey === undefined ? { page, size } : { size, ...this.#keyListQuery(pageByKey) },
      responses: {
        ...(pageByKey === undefined
          ? {}
          : { 400: 'The cursor, the order or a filter is invalid.' }),
        ...this.#read([this.#record], {
          'X-Total-Count': ParamType.Long,
          Link: ParamType.String,
        }),
        ...this.#negotiated,
        ...(this.#parent === undefined ? {} : notFound),
      },
    }
  }

  /** The query parameters of a list that is paged by key: order, search, filters and position. */
  #keyListQuery({
    sort = [],
    search = [],
    filter = [],
    parameters = [],
  }: PageByKey): DescribedAction['query'] {
    const types = this.#resource.model.columns!
    return {
      after: { type: 'string', description: 'The cursor of the page before: follow Link.' },
      before: { type: 'string', description: 'The cursor of the page after; empty for the last.' },
      total: { type: 'string', enum: ['exact'], description: 'Counts more than 10,000 records.' },
      ...(sort.length === 0
        ? {}
        : { sort: { type: 'string', enum: sort.flatMap((field) => [field, `-${field}`]) } }),
      ...(search.length === 0 ? {} : { q: { type: 'string', maxLength: maxSearchLength } }),
      ...Object.fromEntries(
        filter.map((field) => [toSnakeCase(field), ParamType.optional(types[field]!)]),
      ),
      ...Object.fromEntries(parameters.map((name) => [name, { type: 'string' } as const])),
    }
  }

  show(): DescribedAction {
    return {
      summary: `Shows one ${this.#one}`,
      responses: { ...this.#read(this.#record), ...this.#negotiated, ...notFound },
    }
  }

  form(summary: string, needsRecord: boolean): DescribedAction {
    return {
      summary: `${summary} ${this.#one}`,
      responses: { 200: { body: page, type: 'text/html' }, ...(needsRecord ? notFound : {}) },
    }
  }

  create(): DescribedAction {
    const { createFormStrongParameters: types } = this.#resource
    return {
      summary: `Creates one ${this.#one}`,
      sends: { form: 'createForm', types: programTypes(types), partial: false },
      responses: {
        ...this.#redirect(302),
        201: {
          description: 'Created.',
          content: this.#programContent(this.#record),
          headers: { Location: ParamType.String, ETag: ParamType.String },
        },
        ...this.#invalid,
        ...this.#negotiated,
        ...(this.#parent === undefined ? {} : notFound),
      },
    }
  }

  update(): DescribedAction {
    const { updateFormStrongParameters: types } = this.#resource
    const partial = this.#query.method === 'PATCH'
    return {
      ...this.#ifMatch,
      summary: `Changes ${partial ? 'what is sent of ' : ''}one ${this.#one}`,
      sends: { form: 'updateForm', types: programTypes(types), partial },
      responses: {
        ...this.#redirect(redirectStatus(this.#query.method)),
        200: {
          description: 'Changed.',
          content: this.#programContent(this.#record),
          ...(this.#query.method === 'PUT' ? {} : { headers: { ETag: ParamType.String } }),
        },
        ...(this.#isRestricted ? { 204: 'Changed; the record can no longer be read.' } : {}),
        ...this.#invalid,
        ...this.#negotiated,
        ...notFound,
        ...this.#versioned,
      },
    }
  }

  destroy(): DescribedAction {
    return {
      ...this.#ifMatch,
      summary: `Deletes one ${this.#one}`,
      responses: {
        ...this.#redirect(303),
        204: 'Deleted.',
        ...this.#negotiated,
        ...notFound,
        409: 'Other records need the record, so it was not deleted.',
        ...this.#versioned,
      },
    }
  }

  /** The types of the path's parameters. */
  get path(): NonNullable<RouteDescription['path']> {
    const { model } = this.#resource
    // Every action except the list needs an id. A model without a primary key has only the list.
    const ids: Record<string, ParamType<unknown>> = this.#query.action === 'showResources'
      ? {}
      : { id: model.idType }
    for (let at = this.#parent; at !== undefined; at = at.parent) ids[at.param] = at.model.idType
    return ids
  }
}

/** Returns the view with the names and types that its members have in JSON. */
function toProgramView({ columns, related }: DescribedView): DescribedView {
  const types = Object.entries(programTypes(columns))
  return {
    columns: Object.fromEntries(types.map(([key, type]) => [toSnakeCase(key), type])),
    related: Object.fromEntries(
      Object.entries(related).map(([name, { view, isList }]) => [
        toSnakeCase(name),
        { view: toProgramView(view), isList },
      ]),
    ),
  }
}

const words = (name: string): string => toSnakeCase(name).replace(/[_-]/g, ' ')

const redirected: ResponseDescription = {
  description: 'Pages redirect.',
  headers: { Location: ParamType.String },
}

const actionDescribers: Readonly<
  Record<string, (describer: ResourceDescriber) => DescribedAction>
> = {
  showResources: (describer) => describer.list(),
  showResource: (describer) => describer.show(),
  newResource: (describer) => describer.form('The form for a new', false),
  createResource: (describer) => describer.create(),
  editResource: (describer) => describer.form('The form to change one', true),
  updateResource: (describer) => describer.update(),
  destroyResource: (describer) => describer.destroy(),
}
