/** Descriptions of routes for OpenAPI documents and clients, where code cannot express them. */
import type { ParamType, ParamTypes } from '../params.ts'
import type { JsonSchema, KeyRules, StandardSchema } from '../validation.ts'

/** A model with the columns of its rows. */
export interface DescribedModel {
  readonly columns: ParamTypes
  readonly idType: unknown
  readonly hiddenFields?: ReadonlySet<string> | undefined
}

/** A view of a model: its members, and the views of its relations by name. */
export interface DescribedView {
  readonly columns: ParamTypes
  readonly related: Readonly<
    Record<string, { readonly view: DescribedView; readonly isList: boolean }>
  >
}

/**
 * The content of a body: fields with their types, a model or a view for one of its rows, a validator of any library, or JSON
 * Schema. An array with one of them is a list: `[Member]`.
 */
export type BodyShape =
  | ParamTypes
  | DescribedModel
  | DescribedView
  | StandardSchema
  | JsonSchema
  | readonly [BodyShape]

/** Parameters or headers by name, each a type or JSON Schema. */
export type DescribedFields = Readonly<Record<string, ParamType<unknown> | JsonSchema>>

/** One response. */
export interface ResponseDescription {
  /** Default: the reason phrase of the status. */
  readonly description?: string
  /** Absent for an empty body. */
  readonly body?: BodyShape
  /** The media type of `body`; default `application/json`. */
  readonly type?: string
  /** Bodies by media type instead of `body`, when there are several. */
  readonly content?: Readonly<Record<string, BodyShape>>
  readonly headers?: DescribedFields
}

/** The description of a route. Absent members are inferred from the code where possible. */
export interface RouteDescription {
  /** One line. */
  readonly summary?: string
  /** Markdown. */
  readonly description?: string
  /** The groups that list it; default: that of its controller. */
  readonly tags?: readonly string[]
  readonly deprecated?: boolean
  /** True excludes the route from documents and clients. */
  readonly hidden?: boolean
  /** The types of path parameters; default strings. */
  readonly path?: DescribedFields
  /** Query parameters; a ParamType that is not optional is required. */
  readonly query?: DescribedFields
  /** Headers of the request. */
  readonly headers?: DescribedFields
  /** The request's body. */
  readonly body?: BodyShape
  /** The rules by which the action validates fields of the body: the schema has their limits. */
  readonly rules?: readonly KeyRules[]
  /** The media types of the request's body; default: the types that the controller can read. */
  readonly bodyTypes?: readonly string[]
  /** Responses by status, or their description. They replace the inferred response of the same status. */
  readonly responses?: Readonly<Record<number, string | ResponseDescription>>
}

/** The description of a controller and of its routes by name. */
export interface ControllerDescription<N extends string = string> {
  /** The group of its routes; default: the controller's name. */
  readonly tag?: string
  /** The description of the group in Markdown. */
  readonly description?: string
  /** True excludes all of its routes. */
  readonly hidden?: boolean
  readonly routes?: { readonly [K in N]?: RouteDescription }
}
