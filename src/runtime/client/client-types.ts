/** The type of a client: its paths, requests and responses, from the types of controller objects. */
import type { ClientTypesKey } from '../controller.ts'
import type { ActionResult } from '../http.ts'
import type { ParamTypes } from '../params.ts'
import type { Route, UrlParams, UrlQuery } from '../routing.ts'
import type { KeyAndErrorMessages, StandardSchema, SchemaInput, Validation } from '../validation.ts'
import type { SafeHtml } from '../view.ts'
import type { JsonOf } from './json-of.ts'
import type { ResourceBody, ResourceOutcome } from './resource-types.ts'
import type {
  Failure,
  HttpStatus,
  RequestOptions,
  StatusResponse,
  Success,
} from './send-request.ts'
import type {
  FieldOutput,
  FieldsInput,
  OmittableKeys,
  ShapeInput,
  ShapeOutput,
} from './shape-types.ts'

/** Problem details (RFC 9457), as Fw sends errors. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly message: string
  /** The code of the error, such as `params.invalid`. */
  readonly code?: string | undefined
  /** The messages of each invalid parameter. */
  readonly errors?: Readonly<Record<string, readonly string[]>> | undefined
  readonly requestId?: string | undefined
}

/** A pattern as a client writes it. */
type ClientPath<P extends string> = P extends '/?'
  ? '/'
  : P extends `${infer B}/?`
    ? B
    : P extends `${infer B}.:format`
      ? `${B}.json`
      : P extends `${infer B}.:format?`
        ? B
        : P

type RouteTypes = Pick<Route, 'method' | 'pattern' | 'routeName' | 'actionType'>

/**
 * The route `R` of the controller `C`; `D` are the descriptions of the controller's routes. Reads the members of the route,
 * because inference from `Route<…>` costs the compiler a comparison of two classes.
 */
interface Endpoint<C = unknown, R extends RouteTypes = RouteTypes, D = unknown> {
  readonly controller: C
  readonly method: R['method']
  readonly path: ClientPath<R['pattern']>
  readonly name: NonNullable<R['routeName']>
  readonly action: NonNullable<R['actionType']>
  readonly described: D
}

interface ControllerTypes {
  readonly controller: unknown
  readonly routes: Readonly<Record<string, RouteTypes>>
  readonly described: unknown
}

type TypesOf<T> = T extends { readonly [K in ClientTypesKey]?: infer I }
  ? Extract<I, ControllerTypes>
  : never

type ControllerEndpoints<I extends ControllerTypes> = {
  readonly [K in keyof I['routes']]: Endpoint<I['controller'], I['routes'][K], I['described']>
}[keyof I['routes']]

/** The endpoints of a controller object, or of an object of them. */
type Endpoints<T> = ClientTypesKey extends keyof T
  ? ControllerEndpoints<TypesOf<T>>
  : { [K in keyof T]: ControllerEndpoints<TypesOf<T[K]>> }[keyof T]

/**
 * The endpoints of a method by path. A single mapped type of `T`: the compiler then finds a path without a search in
 * each controller, and instantiates the type for a call without a visit to each route.
 */
type Paths<T, M> = {
  readonly [
    E in Endpoints<T> as E['method' & keyof E] extends M ? E['path' & keyof E] & string : never
  ]: E
}

/** The description of the endpoint's route; `{}` without one. */
type DescriptionOf<E extends Endpoint> = E['name'] extends keyof E['described']
  ? E['described'][E['name']]
  : {}

// Requests.

type Values = string | number | boolean | null | undefined

/** The body of a request, from the form's type. */
type FormBody<F> = F extends { readonly types: infer S extends ParamTypes }
  ? FieldsInput<S>
  : F extends { readonly schema: infer S extends StandardSchema }
    ? SchemaInput<S>
    : F extends Validation<infer K>
      ? { readonly [P in K]?: Values | readonly Values[] }
      : unknown

/** By convention, the action `create` validates `createForm()`. */
type ConventionalBody<C, A extends string> = `${A}Form` extends infer N extends keyof C
  ? C[N] extends (...args: never) => infer F
    ? FormBody<Awaited<F>>
    : unknown
  : unknown

type BodyOf<E extends Endpoint, M, D> = D extends { readonly body: infer B }
  ? ShapeInput<B>
  : M extends 'GET' | 'DELETE'
    ? never
    : E['action'] extends 'createResource' | 'updateResource'
      ? ResourceBody<E['controller'], E['action'], M>
      : ConventionalBody<E['controller'], E['action']>

type BodyPart<B> = [B] extends [never]
  ? {}
  : unknown extends B
    ? { readonly body?: unknown }
    : {} extends B
      ? { readonly body?: B | FormData | URLSearchParams | undefined }
      : { readonly body: B | FormData | URLSearchParams }

/** JSON Schemas are optional. */
type RequiredFields<Q> = {
  [K in Exclude<keyof Q, OmittableKeys<Q>>]: Q[K] extends { permit: unknown } ? K : never
}[Exclude<keyof Q, OmittableKeys<Q>>]

type QueryFields<Q> = { readonly [K in RequiredFields<Q>]: FieldOutput<Q[K]> } & {
  readonly [K in Exclude<keyof Q, RequiredFields<Q>>]?: FieldOutput<Q[K]> | undefined
}

type QueryPart<D> = D extends { readonly query: infer Q }
  ? {} extends QueryFields<Q>
    ? { readonly query?: QueryFields<Q> | undefined }
    : { readonly query: QueryFields<Q> }
  : { readonly query?: UrlQuery | undefined }

type PathPart<P extends string> = P extends `${string}${':' | '*'}${string}`
  ? {} extends UrlParams<P>
    ? { readonly path?: UrlParams<P> | undefined }
    : { readonly path: UrlParams<P> }
  : {}

type RequestOf<E extends Endpoint, M, P extends string, D = DescriptionOf<E>> = RequestOptions &
  PathPart<P> &
  QueryPart<D> &
  BodyPart<BodyOf<E, M, D>>

type IsUnion<P, All = P> = P extends unknown ? ([All] extends [P] ? false : true) : never

/** For an unknown path TypeScript infers all paths: with an optional request, it reports the path. */
type Args<E, M, P extends string> =
  IsUnion<P> extends false
    ? E extends Endpoint
      ? OptionalIfEmpty<RequestOf<E, M, P>>
      : never
    : [request?: unknown]

type OptionalIfEmpty<R> = {} extends R ? [request?: R] : [request: R]

// Responses. An outcome is a status and its body; a value without a status has the status `plain`.

type Redirect = 301 | 302 | 303 | 307 | 308
type Streamed = Blob | ArrayBuffer | Uint8Array | ReadableStream | AsyncIterable<unknown> | Response

type OutcomeOf<R> = unknown extends R
  ? readonly ['plain', unknown]
  : R extends ActionResult<infer S, infer B>
    ? number extends S
      ? readonly [HttpStatus, unknown]
      : S extends Redirect
        ? readonly [200, unknown]
        : S extends Failure
          ? readonly [S, B extends undefined ? Problem : ContentOf<B>]
          : readonly [S, ContentOf<B>]
    : R extends KeyAndErrorMessages
      ? readonly [400 | 422, JsonOf<R>]
      : R extends number
        ? readonly [HttpStatus, undefined]
        : readonly ['plain', ContentOf<R>]

type ContentOf<R> = R extends undefined | null | void
  ? undefined
  : R extends SafeHtml
    ? string
    : R extends Streamed
      ? unknown
      : JsonOf<R>

/** The responses of a description. Errors without a described body are problem details. */
type DescribedOutcome<Rs> = {
  [S in keyof Rs]: S extends Redirect
    ? readonly [200, unknown]
    : Rs[S] extends { readonly body: infer B }
      ? readonly [S, ShapeOutput<B>]
      : Rs[S] extends { readonly content: { readonly 'application/json': infer B } }
        ? readonly [S, ShapeOutput<B>]
        : Rs[S] extends { readonly content: unknown }
          ? readonly [S, unknown]
          : readonly [S, S extends Failure ? Problem : undefined]
}[keyof Rs]

type ReturnOf<C, A> = A extends keyof C
  ? C[A] extends (...args: never) => infer R
    ? Awaited<R>
    : unknown
  : unknown

type ActionOutcome<C, A> =
  unknown extends ReturnOf<C, A> ? UnknownOutcome<ResourceOutcome<C, A>> : OutcomeOf<ReturnOf<C, A>>

type UnknownOutcome<O> = [O] extends [never] ? readonly ['plain', unknown] : O

/** Described successes replace those of the action; described errors replace those of their status. */
type Merged<O, D> = [D] extends [never]
  ? O
  :
      | D
      | (O extends readonly [infer S, unknown]
          ? S extends StatusOf<D>
            ? never
            : [Extract<StatusOf<D>, Success>] extends [never]
              ? O
              : S extends 'plain' | Success
                ? never
                : O
          : never)

type StatusOf<O> = O extends readonly [infer S, unknown] ? S : never

/** Statuses with which Fw itself answers malformed input. */
type Malformed = 400 | 422

/** The response of an outcome; `All` are the statuses of all outcomes. */
type ResponseOfOutcome<O, All> = O extends readonly [infer S, infer B]
  ? S extends 'plain'
    ? StatusResponse<[All] extends ['plain'] ? Success : Exclude<Success, All>, B, true>
    : S extends Failure
      ? StatusResponse<S, S extends Malformed ? B | Problem : B, false>
      : StatusResponse<S, B, true>
  : never

/** Cached by the compiler, because most actions declare no errors. */
type ProblemResponse = StatusResponse<Failure, Problem, false>

type OtherFailures<All> = [Extract<All, Failure>] extends [never]
  ? ProblemResponse
  : StatusResponse<Exclude<Failure, All>, Problem, false>

type Responses<O> = ResponseOfOutcome<O, StatusOf<O>> | OtherFailures<StatusOf<O>>

type ResponseOf<E extends Endpoint, D = DescriptionOf<E>> = D extends {
  readonly responses: infer Rs
}
  ? Responses<Merged<ActionOutcome<E['controller'], E['action']>, DescribedOutcome<Rs>>>
  : Responses<ActionOutcome<E['controller'], E['action']>>

type Call<T, M> = <P extends keyof T & string>(
  path: P,
  ...args: Args<T[P], M, P>
) => Promise<T[P] extends Endpoint ? ResponseOf<T[P]> : never>

/** The result of `createClient`: a function for each HTTP method. */
export interface Client<T> {
  readonly get: Call<Paths<T, 'GET'>, 'GET'>
  readonly post: Call<Paths<T, 'POST'>, 'POST'>
  readonly put: Call<Paths<T, 'PUT'>, 'PUT'>
  readonly patch: Call<Paths<T, 'PATCH'>, 'PATCH'>
  readonly delete: Call<Paths<T, 'DELETE'>, 'DELETE'>
  readonly query: Call<Paths<T, 'QUERY'>, 'QUERY'>
}
