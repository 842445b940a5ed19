/** `Client`: derives the paths, requests and responses of a client from the types of controller objects. */
import type { ClientTypesKey } from '../controller.ts'
import type { ActionResult } from '../http.ts'
import type { ParamTypes } from '../params.ts'
import type { Route, UrlParams, UrlQuery } from '../routing.ts'
import type { KeyAndErrorMessages, StandardSchema, SchemaInput, Validation } from '../validation.ts'
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
  Flat,
  JsonOf,
  OmittableKeys,
  ShapeInput,
  ShapeOutput,
} from './shape-types.ts'

/** Problem details (RFC 9457): the body of Fw's error responses. */
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

/** The route pattern `P` as the caller of a client writes it. */
type ClientPath<P extends string> = P extends '/?'
  ? '/'
  : P extends `${infer B}/?`
    ? B
    : P extends `${infer B}.:format`
      ? `${B}.json`
      : P extends `${infer B}.:format?`
        ? B
        : P

/** A route of the controller `C`: method `M`, path `P`, name `N`, action `A`; `D` has the descriptions of all its routes. */
interface Endpoint<C, M, P, N, A, D> {
  readonly method: M
  readonly path: P
  readonly args: RequestArgs<C, M, P, A, DescriptionOf<N, D>>
  readonly response: ResponseOf<C, A, DescriptionOf<N, D>>
}

type ControllerEndpoints<I> = I extends {
  readonly controller: infer C
  readonly routes: infer R
  readonly described: infer D
}
  ? {
      readonly [K in keyof R]: R[K] extends Route<infer P, infer N, infer M, infer A>
        ? Endpoint<C, M, ClientPath<P>, Given<N>, Given<A>, D>
        : never
    }[keyof R]
  : never

type Member<T, K> = K extends keyof T ? T[K] : never

/** `N`, or '' for an inline action without a name, because a conditional type of `never` would be `never`. */
type Given<N> = [N] extends [never] ? '' : N

/** The endpoints of one controller object, or of an object with several controller objects. */
type Endpoints<T> = ClientTypesKey extends keyof T
  ? ControllerEndpoints<NonNullable<T[ClientTypesKey]>>
  : { [K in keyof T]: ControllerEndpoints<NonNullable<Member<T[K], ClientTypesKey>>> }[keyof T]

/**
 * The endpoints of the HTTP method `M`, by path. Keep this a single mapped type. The compiler then looks up a path without
 * a search in each controller, and checks a call without a visit to each route.
 */
type Paths<T, M> = {
  readonly [
    E in Endpoints<T> as E['method' & keyof E] extends M ? E['path' & keyof E] & string : never
  ]: E
}

/** The description of the route with the name `N`; `{}` if the route has no description. */
type DescriptionOf<N, D> = N extends keyof D ? D[N] : {}

// Requests.

type Values = string | number | boolean | null | undefined

/** The type of a request body, from the type of the form that validates it. */
type FormBody<F> = F extends { readonly types: infer S extends ParamTypes }
  ? FieldsInput<S>
  : F extends { readonly schema: infer S extends StandardSchema }
    ? SchemaInput<S>
    : F extends Validation<infer K>
      ? { readonly [P in K]?: Values | readonly Values[] }
      : unknown

/** The body that the action's form reads. By convention, the action `create` uses the form of the method `createForm()`. */
type ConventionalBody<C, A extends string> = `${A}Form` extends infer N extends keyof C
  ? C[N] extends (...args: never) => infer F
    ? FormBody<Settled<F>>
    : unknown
  : unknown

type BodyOf<C, M, A, D> = D extends { readonly body: infer B }
  ? ShapeInput<B>
  : M extends 'GET' | 'DELETE'
    ? never
    : A extends 'createResource' | 'updateResource'
      ? ResourceBody<C, A, M>
      : ConventionalBody<C, A & string>

type BodyPart<B> = [B] extends [never]
  ? {}
  : unknown extends B
    ? { readonly body?: unknown }
    : {} extends B
      ? { readonly body?: B | FormData | URLSearchParams | undefined }
      : { readonly body: B | FormData | URLSearchParams }

/** The names of required query parameters. A parameter that is described by a JSON Schema is optional. */
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

type PathPart<U> = [keyof U] extends [never]
  ? {}
  : {} extends U
    ? { readonly path?: U | undefined }
    : { readonly path: U }

/** The request with the path parameters `U`. A separate type, because the compiler caches it and many routes share it. */
type RequestWith<U, Q, B> = Flat<RequestOptions & PathPart<U> & Q & BodyPart<B>>

type RequestOf<C, M, P extends string, A, D> = RequestWith<
  UrlParams<P>,
  QueryPart<D>,
  BodyOf<C, M, A, D>
>

type IsUnion<P, All = P> = P extends unknown ? ([All] extends [P] ? false : true) : never

/** The arguments after the path. For an unknown path, `P` is a union; an optional request lets TypeScript report the path. */
type Args<E, P> =
  IsUnion<P> extends false
    ? E extends { readonly args: infer A extends readonly unknown[] }
      ? A
      : never
    : [request?: unknown]

type RequestArgs<C, M, P, A, D> = OptionalIfEmpty<RequestOf<C, M, P & string, A, D>>

type OptionalIfEmpty<R> = {} extends R ? [request?: R] : [request: R]

// Responses. An outcome is a pair of a status and a body. If an action returns a value without a status, the status is `plain`.

type Redirect = 301 | 302 | 303 | 307 | 308
type Streamed = Blob | ArrayBuffer | Uint8Array | ReadableStream | AsyncIterable<unknown> | Response

/** For each class whose values are not sent as JSON, a key that identifies the class. */
type SpecialKey =
  | keyof Pick<ActionResult, 'contentType'>
  | keyof Pick<KeyAndErrorMessages, 'hasErrors'>
  | keyof Pick<Blob & ArrayBuffer & ReadableStream, 'arrayBuffer' | 'byteLength' | 'getReader'>
  | typeof Symbol.asyncIterator
  | 'then'

/** The members of `R` that are not sent as JSON with a success status. Checks keys, which is faster than classes. */
type SpecialOf<R> = R extends string | boolean | bigint | readonly unknown[]
  ? never
  : R extends object
    ? keyof R & SpecialKey extends never
      ? never
      : R
    : R

type OutcomeOf<R> = [SpecialOf<R>] extends [never]
  ? readonly ['plain', JsonOf<R>]
  : SpecialOutcome<R>

type SpecialOutcome<R> = unknown extends R
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
        : R extends PromiseLike<infer V>
          ? OutcomeOf<V>
          : readonly ['plain', ContentOf<R>]

type ContentOf<R> = R extends undefined | null | void
  ? undefined
  : R extends Streamed
    ? unknown
    : JsonOf<R>

/** The outcomes that the description of a route lists. An error without a described body has problem details as its body. */
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
    ? Settled<R>
    : unknown
  : unknown

type Settled<R> = R extends Promise<infer V> ? V : R

type ActionOutcome<C, A> =
  unknown extends ReturnOf<C, A> ? UnknownOutcome<ResourceOutcome<C, A>> : OutcomeOf<ReturnOf<C, A>>

type UnknownOutcome<O> = [O] extends [never] ? readonly ['plain', unknown] : O

/**
 * Merges the outcomes `O` of an action with the described outcomes `D`. If `D` has a success, it replaces all successes of
 * `O`. A described error replaces only the error with its status.
 */
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

/** The statuses of Fw's own responses to malformed input. */
type Malformed = 400 | 422

/** The response type of the outcome `O`. `All` is the union of the statuses of all outcomes. */
type ResponseOfOutcome<O, All> = O extends readonly [infer S, infer B]
  ? S extends 'plain'
    ? StatusResponse<[All] extends ['plain'] ? Success : Exclude<Success, All>, B, true>
    : S extends Failure
      ? StatusResponse<S, S extends Malformed ? B | Problem : B, false>
      : StatusResponse<S, B, true>
  : never

/** An error response with problem details. A separate type, because the compiler caches it and most actions share it. */
type ProblemResponse = StatusResponse<Failure, Problem, false>

type OtherFailures<All> = [Extract<All, Failure>] extends [never]
  ? ProblemResponse
  : StatusResponse<Exclude<Failure, All>, Problem, false>

type Responses<O> = ResponseOfOutcome<O, StatusOf<O>> | OtherFailures<StatusOf<O>>

type ResponseOf<C, A, D> = D extends { readonly responses: infer Rs }
  ? Responses<Merged<ActionOutcome<C, A>, DescribedOutcome<Rs>>>
  : ActionResponse<C, A, ReturnOf<C, A>>

type ActionResponse<C, A, R> = [SpecialOf<R>] extends [never]
  ? JsonResponse<R> | ProblemResponse
  : Responses<ActionOutcome<C, A>>

/** A success whose body is the JSON of `R`; `never` for an action that never returns. */
type JsonResponse<R> = R extends unknown ? StatusResponse<Success, JsonOf<R>, true> : never

type Call<T> = <P extends keyof T & string>(
  path: P,
  ...args: Args<T[P], P>
) => Promise<T[P] extends { readonly response: infer R } ? R : never>

/** The result of `createClient`: a function for each HTTP method. */
export interface Client<T> {
  readonly get: Call<Paths<T, 'GET'>>
  readonly post: Call<Paths<T, 'POST'>>
  readonly put: Call<Paths<T, 'PUT'>>
  readonly patch: Call<Paths<T, 'PATCH'>>
  readonly delete: Call<Paths<T, 'DELETE'>>
  readonly query: Call<Paths<T, 'QUERY'>>
}
