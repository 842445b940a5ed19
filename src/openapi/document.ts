/** The parts of an OpenAPI 3.1 document that Fw writes. */
import type { JsonSchema } from '../validation.ts'

/** A description of an application's routes. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>
  }
}

/** One method of one path. */
export interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly deprecated?: true
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: RequestBody
  readonly responses: Readonly<Record<string, Response>>
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  /** The routes object and the member that the route is, as the client of `fw client` has it: `members.show`. */
  readonly 'x-fw-route': string
}

/** A part of the path, or of the query. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: true
  readonly description?: string
  readonly schema: JsonSchema
}

/** Schemas by media type. */
export type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>

export interface RequestBody {
  readonly required?: true
  readonly content: Content
}

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly schema: JsonSchema }>>
  readonly content?: Content
}

export interface SecurityScheme {
  readonly type: 'apiKey'
  readonly in: 'cookie' | 'header'
  readonly name: string
  readonly description: string
}
