/** What documents say of a route where its code does not say it: texts, types of what it reads, bodies of what it answers. */
import type { ParamType, ParamTypes } from '../params.ts'
import type { JsonSchema, KeyRules, StandardSchema } from '../validation.ts'

/** A model, by the columns of its rows. */
export interface DescribedModel {
  readonly columns: ParamTypes
  readonly idType: unknown
}

/**
 * What a body holds: fields with their types, a model for one of its rows, a validator of any library, or JSON Schema;
 * in brackets a list of it: `[Member]`.
 */
export type BodyShape =
  | ParamTypes
  | DescribedModel
  | StandardSchema
  | JsonSchema
  | readonly [BodyShape]

/** Parameters or headers by name, each a type or JSON Schema. */
export type DescribedFields = Readonly<Record<string, ParamType<unknown> | JsonSchema>>

/** One answer. */
export interface ResponseDescription {
  /** The status's own phrase unless given. */
  readonly description?: string
  /** Nothing unless given. */
  readonly body?: BodyShape
  /** The media type of `body`; `application/json` unless given. */
  readonly type?: string
  /** Bodies by media type, in the place of `body`, where there are several. */
  readonly content?: Readonly<Record<string, BodyShape>>
  readonly headers?: DescribedFields
}

/** What is said of a route; what is left out is inferred where it can be. */
export interface RouteDescription {
  /** One line. */
  readonly summary?: string
  /** Markdown. */
  readonly description?: string
  /** The groups that it is listed in; that of its controller unless given. */
  readonly tags?: readonly string[]
  readonly deprecated?: boolean
  /** Left out of documents and clients; it answers as before. */
  readonly hidden?: boolean
  /** The types of path parameters; texts unless given. */
  readonly path?: DescribedFields
  /** What `?name=` may say; a ParamType that is not optional must be there. */
  readonly query?: DescribedFields
  /** Headers of the request. */
  readonly headers?: DescribedFields
  /** What the request's body holds. */
  readonly body?: BodyShape
  /** Rules about fields of the body, whose limits are told: those that its action judges by. */
  readonly rules?: readonly KeyRules[]
  /** The media types of the request's body; those that the controller reads unless given. */
  readonly bodyTypes?: readonly string[]
  /** By status: a text, or what is answered. They replace what is inferred for the same status. */
  readonly responses?: Readonly<Record<number, string | ResponseDescription>>
}

/** What is said of a controller and its routes, by their names. */
export interface ControllerDescription<N extends string = string> {
  /** The group of its routes; the controller's name unless given. */
  readonly tag?: string
  /** Of the group, in Markdown. */
  readonly description?: string
  /** Leaves all of its routes out. */
  readonly hidden?: boolean
  readonly routes?: { readonly [K in N]?: RouteDescription }
}
