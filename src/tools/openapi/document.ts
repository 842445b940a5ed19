/** The types of an OpenAPI 3.1 document, restricted to the members that Fw writes. */
import type { JsonSchema } from '../../runtime/validation.ts'

/** An OpenAPI description of an application's routes. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description?: string
    readonly license?: { readonly name: string; readonly identifier?: string }
  }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  /** The operations by path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>
  }
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly deprecated?: true
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: RequestBody
  readonly responses: Readonly<Record<string, Response>>
  /** Empty if no known scheme protects the operation. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: true
  readonly description?: string
  readonly schema: JsonSchema
}

/** The schema of a body, by media type. */
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

export type SecurityScheme =
  | {
      readonly type: 'apiKey'
      readonly in: 'cookie' | 'header'
      readonly name: string
      readonly description: string
    }
  | {
      readonly type: 'http'
      readonly scheme: 'bearer'
      readonly bearerFormat?: 'JWT'
      readonly description: string
    }
