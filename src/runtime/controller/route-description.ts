/** The types of route descriptions, which add to OpenAPI documents and clients what the code cannot express. */
import type { ParamType, ParamTypes } from '../params.ts'
import type { JsonSchema, KeyRules, StandardSchema } from '../validation.ts'

/** The part of a model class that descriptions use: the columns, the type of the id, and the hidden fields. */
export interface DescribedModel {
  readonly columns: ParamTypes
  readonly idType: unknown
  readonly hiddenFields?: ReadonlySet<string> | undefined
}

/** A view of a model: its members, and the views of its related models by relation name. */
export interface DescribedView {
  readonly columns: ParamTypes
  readonly related: Readonly<
    Record<string, { readonly view: DescribedView; readonly isList: boolean }>
  >
}

/**
 * The shape of a body: fields with their types, a model or view for one of its rows, a validator of any library, or JSON
 * Schema. `[Member]` is a list whose items have the shape `Member`.
 */
export type BodyShape =
  | ParamTypes
  | DescribedModel
  | DescribedView
  | StandardSchema
  | JsonSchema
  | readonly [BodyShape]

/** Parameters or headers by name, each with a type or a JSON Schema. */
export type DescribedFields = Readonly<Record<string, ParamType<unknown> | JsonSchema>>

/** The description of one response. */
export interface ResponseDescription {
  /** A description of the response; by default the reason phrase of the status. */
  readonly description?: string
  /** The shape of the body; absent for an empty body. */
  readonly body?: BodyShape
  /** The media type of `body`; by default `application/json`. */
  readonly type?: string
  /** The shapes of the body by media type, if there are several; replaces `body`. */
  readonly content?: Readonly<Record<string, BodyShape>>
  readonly headers?: DescribedFields
}

/** The description of a route. Members that are absent are inferred from the code if possible. */
export interface RouteDescription {
  /** A summary in one line. */
  readonly summary?: string
  /** A description in Markdown. */
  readonly description?: string
  /** The groups that contain the route; by default the group of its controller. */
  readonly tags?: readonly string[]
  readonly deprecated?: boolean
  /** True excludes the route from documents and clients. */
  readonly hidden?: boolean
  /** The types of path parameters; by default a parameter is a string. */
  readonly path?: DescribedFields
  /** The query parameters. A parameter is required unless its `ParamType` is optional. */
  readonly query?: DescribedFields
  /** The headers of the request. */
  readonly headers?: DescribedFields
  /** The shape of the request's body. */
  readonly body?: BodyShape
  /** The rules by which the action validates the fields of the body. The limits of the rules become part of the schema. */
  readonly rules?: readonly KeyRules[]
  /** The media types of the request's body; by default all types that the controller can read. */
  readonly bodyTypes?: readonly string[]
  /** The responses by status, or only their description. They replace the inferred response of the same status. */
  readonly responses?: Readonly<Record<number, string | ResponseDescription>>
}

/** The description of a controller, and the descriptions of its routes by name. */
export interface ControllerDescription<N extends string = string> {
  /** The name of the controller's group of routes; by default the controller's name. */
  readonly tag?: string
  /** The description of the group in Markdown. */
  readonly description?: string
  /** True excludes all routes of the controller from documents and clients. */
  readonly hidden?: boolean
  readonly routes?: { readonly [K in N]?: RouteDescription }
}
