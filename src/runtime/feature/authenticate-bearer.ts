/** `authenticateBearer` and `requireScopes`: authenticate requests by bearer tokens (RFC 6750) and their scopes. */
import {
  isSafeMethod,
  registrationsOf,
  slot,
  type ControllerClass,
  type Ctor,
  type FilterOptions,
  type FwContext,
} from '../action.ts'
import { FwError, HttpError, isPromise } from '../base.ts'
import { withoutLocalSettings } from '../db.ts'
import { addVary } from '../http.ts'
import {
  findByFixedTokens,
  findByHash,
  readScopes,
  type FoundBearer,
  type TokenFinder,
  type TokenLookUp,
  type FixedTokens,
} from './bearer-tokens.ts'
import { jwtFinder, type JwtTokens, type TokenClaims } from './json-web-tokens.ts'
import { filterTrait, type FilterTrait } from './trait.ts'

/** The options of `authenticateBearer` for all kinds of tokens. Without `only` and `except`, it authenticates every route. */
interface BearerOptions extends FilterOptions {
  /** The realm (protection space), which clients see in `WWW-Authenticate`; by default `api`. */
  readonly realm?: string
  /** The maximum length of a token, by default 8192 characters; a longer token is rejected without further checks. */
  readonly maxLength?: number
  /** True also accepts the token in the query parameter `access_token`, for clients that cannot set headers. */
  readonly fromQuery?: boolean
  /** Also serves requests without a token: `this.bearer` is `undefined`. A token that is not valid is still refused. */
  readonly optional?: boolean
}

/** The member that `authenticateBearer` adds. */
export interface HasBearer<P> {
  /**
   * The owner of the request's token, as `find` or `principal` returns it, or the name of a configured token.
   * @throws FwError `feature.bearer-missing` on a route that `only` or `except` excludes
   */
  readonly bearer: P
}

/** The type of `bearer`; `undefined` is possible where a token is optional. */
type Bearer<P, R> = R extends false ? P : P | undefined

type BearerTrait<P> = <B extends ControllerClass>(Base: B) => B & Ctor<HasBearer<P>>

/** The settings by which a route authenticates its requests. */
interface Authentication {
  readonly realm: string
  readonly maxLength: number
  readonly fromQuery: boolean
  readonly isOptional: boolean
  readonly isJwt: boolean
  readonly find: TokenFinder
}

const authenticationOfRoute: unique symbol = Symbol('bearer authentication')

/**
 * The result of the authentication of a request: the owner of its token, and the settings of the route that accepted it. `isAnonymous` is
 * true for a request without a token, where a token is optional.
 */
interface AcceptedBearer extends FoundBearer {
  readonly by: Authentication
  readonly isAnonymous?: boolean
}

/** The bearer of a request without a token. */
const anonymous = { principal: undefined, scopeSource: undefined, isAnonymous: true } as const

const bearerOfRequest = slot<AcceptedBearer>('attempt')

/** The options of `requireScopes`. Without them, it checks every request. */
interface ScopeOptions extends FilterOptions {
  /** Restricts the check to requests that must not change data (GET, HEAD, OPTIONS, QUERY), or to all others. */
  readonly methods?: 'safe' | 'unsafe'
}

/** The scopes that one call of `requireScopes` adds to a route. */
class RequiredScopes {
  readonly names: readonly string[]
  readonly #methods: ScopeOptions['methods']

  constructor(names: readonly string[], methods: ScopeOptions['methods']) {
    this.names = names
    this.#methods = methods
  }

  concerns(isSafe: boolean): boolean {
    return this.#methods === undefined || this.#methods === (isSafe ? 'safe' : 'unsafe')
  }
}

type RouteSettings = ReadonlyMap<symbol, unknown>

function collectScopes(settings: RouteSettings, isSafe: boolean): readonly string[] {
  const all = [...settings.values()].filter((value) => value instanceof RequiredScopes)
  const required = all.filter((one) => one.concerns(isSafe))
  return [...new Set(required.flatMap(({ names }) => names))]
}

/** Describes the authentication of a route for OpenAPI; `undefined` for a route without authentication. */
export function describeBearer(settings: RouteSettings, method: string) {
  const found = settings.get(authenticationOfRoute) as Authentication | undefined
  if (found === undefined) return undefined
  const scopes = collectScopes(settings, isSafeMethod(method))
  return { isJwt: found.isJwt, isOptional: found.isOptional && scopes.length === 0, scopes }
}

/** Sets the header `WWW-Authenticate` (RFC 6750 section 3). The values must not contain quotes. */
function challenge(ctx: FwContext, attributes: Readonly<Record<string, string>>): void {
  const { realm } = authenticationOf(ctx)!
  const scope = collectScopes(ctx.plan!.settings, ctx.request.isSafe).join(' ')
  const all = { realm, ...attributes, ...(scope === '' ? {} : { scope }) }
  const text = Object.entries(all).map(([name, value]) => `${name}="${value}"`)
  ctx.response.headers.set('WWW-Authenticate', `Bearer ${text.join(', ')}`)
}

function refuseToken(ctx: FwContext, message: string): HttpError {
  challenge(ctx, { error: 'invalid_token', error_description: message })
  return new HttpError(401, 'feature.token-invalid', message)
}

function missingToken(ctx: FwContext): HttpError {
  challenge(ctx, {})
  return new HttpError(401, 'feature.token-missing', 'Send a token: Authorization: Bearer …')
}

const bearerScheme = /^bearer(?![\w-])/i
/** The syntax of a token: `b64token` in RFC 6750 section 2.1. */
const tokenSyntax = /^[\w.~+/-]+=*$/

/** Reads the token from the header, or from the query if the route allows it; `undefined` without an optional token. */
function readToken(
  ctx: FwContext,
  { maxLength, fromQuery, isOptional }: Authentication,
): string | undefined {
  const header = ctx.request.http.header('authorization')
  const inHeader = header !== undefined && bearerScheme.test(header)
  const inQuery = fromQuery ? ctx.queryParams.get('access_token') : undefined
  addVary(ctx.response.headers, 'Authorization')
  if (inHeader || inQuery !== undefined) ctx.request.usesCredentials = true
  if (inHeader && inQuery !== undefined) {
    const message = 'Send the token once: in the header or in the query.'
    challenge(ctx, { error: 'invalid_request', error_description: message })
    throw new HttpError(400, 'feature.token-repeated', message)
  }
  const token = inHeader ? header.slice('bearer'.length).trim() : inQuery
  if (token === undefined) {
    if (isOptional) return undefined
    throw missingToken(ctx)
  }
  if (token.length > maxLength || !tokenSyntax.test(token))
    throw refuseToken(ctx, 'The token is malformed.')
  return token
}

const authenticationOf = (ctx: FwContext): Authentication | undefined =>
  ctx.plan?.settings.get(authenticationOfRoute) as Authentication | undefined

function acceptBearer(ctx: FwContext, by: Authentication, found: FoundBearer | string): void {
  if (typeof found === 'string') throw refuseToken(ctx, found)
  bearerOfRequest.set(ctx, { ...found, by })
  ctx.sessionScope.refuse()
}

/** Authenticates a request before its body is read. The options of a subclass replace those of its base class. */
function authenticate(_controller: object, ctx: FwContext): void | Promise<void> {
  const by = authenticationOf(ctx)!
  // The step that the base class registered has already authenticated the request.
  if (bearerOfRequest.get(ctx)?.by === by && ctx.refusesSession) return undefined
  const token = readToken(ctx, by)
  if (token === undefined) return acceptBearer(ctx, by, anonymous)
  // Who the visitor is must be known before the values of local settings are.
  const found = withoutLocalSettings(by.find, token, ctx)
  return isPromise(found)
    ? found.then((settled) => acceptBearer(ctx, by, settled))
    : acceptBearer(ctx, by, found)
}

const quotable = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

type AnyBearerOptions = BearerOptions &
  (TokenLookUp<unknown> | FixedTokens<string> | JwtTokens<unknown>)

function createAuthentication(options: AnyBearerOptions): Authentication {
  const { realm = 'api', maxLength = 8192, fromQuery = false, optional = false } = options
  if (!quotable.test(realm))
    throw new FwError(
      'feature.bearer-invalid',
      `The realm '${realm}' contains a quote or a character outside ASCII.`,
    )
  const find =
    'find' in options
      ? findByHash(options)
      : 'tokens' in options
        ? findByFixedTokens(options)
        : jwtFinder(options)
  return { realm, maxLength, fromQuery, isOptional: optional, isJwt: 'jwt' in options, find }
}

/**
 * Authenticates requests by bearer tokens, which the application stores by their hash: `mix(FwApiController,
 * authenticateBearer({ find: (hash) => ApiKey.findBy({ hash }) }))`. Requests need the header `Authorization: Bearer …` with a
 * valid token; otherwise the response is 401 with `WWW-Authenticate` (RFC 6750).
 * The check runs before the body is read. An authenticated request needs no forgery token, and its session cookie is ignored.
 * `find` gets the SHA-256 of the token in hexadecimal; its result becomes `this.bearer`.
 * @throws FwError `feature.bearer-invalid`, `feature.package-missing`
 */
export function authenticateBearer<P, const R extends boolean = false>(
  options: BearerOptions & TokenLookUp<P> & { readonly optional?: R },
): BearerTrait<Bearer<P, R>>
/** Authenticates requests by tokens from the configuration, in constant time. `this.bearer` is the token's name. */
export function authenticateBearer<N extends string, const R extends boolean = false>(
  options: BearerOptions & FixedTokens<N> & { readonly optional?: R },
): BearerTrait<Bearer<N, R>>
/** Authenticates requests by JWTs (package `jose`). `this.bearer` is the result of `principal`, else the claims. */
export function authenticateBearer<P = TokenClaims, const R extends boolean = false>(
  options: BearerOptions & JwtTokens<P> & { readonly optional?: R },
): BearerTrait<Bearer<P, R>>
export function authenticateBearer(options: AnyBearerOptions) {
  const authentication = createAuthentication(options)
  return <B extends ControllerClass>(Base: B): B & Ctor<HasBearer<unknown>> => {
    abstract class AuthenticateBearer extends Base implements HasBearer<unknown> {
      get bearer(): unknown {
        return bearerOf(this.ctx).principal
      }
    }
    Object.defineProperty(AuthenticateBearer, 'name', { value: 'authenticateBearer' })
    const own = registrationsOf(AuthenticateBearer)
    own.configure(authenticationOfRoute, authentication, options)
    own.add('guard', authenticate, options)
    return AuthenticateBearer
  }
}

function bearerOf(ctx: FwContext): AcceptedBearer {
  const bearer = bearerOfRequest.get(ctx)
  // A route that called `pass()` before may have authenticated the request with other settings.
  if (bearer !== undefined && bearer.by === authenticationOf(ctx)) return bearer
  throw new FwError(
    'feature.bearer-missing',
    `The route '${ctx.routeName}' of ${ctx.plan?.controllerName} has no bearer: mix authenticateBearer in before requireScopes, and do not exclude the route by only or except.`,
  )
}

const scopeSyntax = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/**
 * Requires that the tokens of the chosen routes have all of these scopes: `mix(Base, requireScopes(['tasks:write'], { only:
 * ['create'] }))`. With `methods`, it requires them by the method of the request: `requireScopes(['write'], { methods: 'unsafe' })`.
 * Otherwise the response is 403. The scopes of a token are the member `scope`, `scopes` or `scp` of its
 * claims, or of the value that `find` of `authenticateBearer` returns. The member is a list, or a text separated by spaces.
 * `requireScopes<ApiScope>([...])` accepts only the scopes of an own type.
 * @throws FwError `feature.bearer-invalid`
 */
export function requireScopes<S extends string = string>(
  scopes: readonly S[],
  options: ScopeOptions = {},
): FilterTrait {
  const invalid = scopes.find((scope) => !scopeSyntax.test(scope))
  if (invalid !== undefined)
    throw new FwError(
      'feature.bearer-invalid',
      `'${invalid}' is not a scope: use ASCII without spaces and quotes.`,
    )
  const { methods } = options
  if (methods !== undefined && methods !== 'safe' && methods !== 'unsafe')
    throw new FwError(
      'feature.bearer-invalid',
      `The option methods of requireScopes is 'safe' or 'unsafe', not '${String(methods)}'.`,
    )
  const required = new RequiredScopes(scopes, methods)
  return filterTrait('requireScopes', (own) => {
    own.configure(Symbol('scopes'), required, options)
    const step = (_controller: object, ctx: FwContext): void => checkScopes(ctx, required)
    // Sets the name that listings of a route's filters show.
    Object.defineProperty(step, 'name', { value: `checkScopes ${scopes.join(' ')}` })
    own.add('guard', step, options)
  })
}

function checkScopes(ctx: FwContext, required: RequiredScopes): void {
  if (!required.concerns(ctx.request.isSafe)) return
  const bearer = bearerOf(ctx)
  if (bearer.isAnonymous === true) throw missingToken(ctx)
  const given = readScopes(bearer.scopeSource)
  const missing = required.names.filter((scope) => !given.includes(scope))
  if (missing.length === 0) return
  const message = 'The token does not have the scope of this route.'
  challenge(ctx, { error: 'insufficient_scope', error_description: message })
  throw new HttpError(403, 'feature.scope-missing', message, { details: { missing } })
}
