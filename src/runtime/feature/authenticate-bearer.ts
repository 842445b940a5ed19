/** Bearer tokens (RFC 6750): authenticates each request by its token, and checks the scopes of the token. */
import {
  registrationsOf,
  type ControllerClass,
  type Ctor,
  type FilterOptions,
  type FwContext,
} from '../action.ts'
import { FwError, HttpError, isPromise } from '../base.ts'
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

/** Options of `authenticateBearer` for tokens of every kind; without `only` and `except` it applies to every route. */
interface BearerOptions extends FilterOptions {
  /** The protection space, which clients see in `WWW-Authenticate`; default `api`. */
  readonly realm?: string
  /** Longer tokens are refused unread; default 8192 characters. */
  readonly maxLength?: number
  /** Also accepts the query parameter `access_token`, for clients that cannot set headers. */
  readonly fromQuery?: boolean
}

/** The member that `authenticateBearer` adds. */
export interface HasBearer<P> {
  /**
   * Whom the request's token belongs to.
   * @throws FwError `feature.bearer-missing` on a route that `only` or `except` excludes
   */
  readonly bearer: P
}

type BearerTrait<P> = <B extends ControllerClass>(Base: B) => B & Ctor<HasBearer<P>>

/** How a route authenticates its requests. */
interface Authentication {
  readonly realm: string
  readonly maxLength: number
  readonly fromQuery: boolean
  readonly isJwt: boolean
  readonly find: TokenFinder
}

const authenticationOfRoute: unique symbol = Symbol('bearer authentication')
const bearerOfRequest: unique symbol = Symbol('bearer')

/** A bearer, and the authentication that accepted it. */
interface AcceptedBearer extends FoundBearer {
  readonly by: Authentication
}

type WithBearer = FwContext & { [bearerOfRequest]?: AcceptedBearer }

/** The scopes that one `requireScopes` adds to a route. */
class RequiredScopes {
  readonly names: readonly string[]

  constructor(names: readonly string[]) {
    this.names = names
  }
}

type RouteSettings = ReadonlyMap<symbol, unknown>

function collectScopes(settings: RouteSettings): readonly string[] {
  const all = [...settings.values()].filter((value) => value instanceof RequiredScopes)
  return [...new Set(all.flatMap(({ names }) => names))]
}

/** The authentication of a route, for its OpenAPI description; `undefined` for a route without one. */
export function describeBearer(
  settings: RouteSettings,
): { readonly isJwt: boolean; readonly scopes: readonly string[] } | undefined {
  const found = settings.get(authenticationOfRoute) as Authentication | undefined
  return found && { isJwt: found.isJwt, scopes: collectScopes(settings) }
}

/** Sets the challenge of RFC 6750 section 3; the values contain no quotes. */
function challenge(ctx: FwContext, attributes: Readonly<Record<string, string>>): void {
  const { realm } = authenticationOf(ctx)!
  const scope = collectScopes(ctx.plan!.settings).join(' ')
  const all = { realm, ...attributes, ...(scope === '' ? {} : { scope }) }
  const text = Object.entries(all).map(([name, value]) => `${name}="${value}"`)
  ctx.response.headers.set('WWW-Authenticate', `Bearer ${text.join(', ')}`)
}

function refuseToken(ctx: FwContext, message: string): HttpError {
  challenge(ctx, { error: 'invalid_token', error_description: message })
  return new HttpError(401, 'feature.token-invalid', message)
}

const bearerScheme = /^bearer(?: |$)/i
/** `b64token` of RFC 6750 section 2.1. */
const tokenSyntax = /^[\w.~+/-]+=*$/

/** Reads the token of the header, or the query where the route allows it. */
function readToken(ctx: FwContext, { maxLength, fromQuery }: Authentication): string {
  const header = ctx.request.http.header('authorization')
  const inHeader = header !== undefined && bearerScheme.test(header)
  const inQuery = fromQuery ? ctx.queryParams.get('access_token') : undefined
  if (inHeader && inQuery !== undefined) {
    const message = 'Send the token once: in the header or in the query.'
    challenge(ctx, { error: 'invalid_request', error_description: message })
    throw new HttpError(400, 'feature.token-repeated', message)
  }
  // No cache may keep a response whose URL contains a token.
  if (inQuery !== undefined) ctx.response.headers.set('Cache-Control', 'no-store')
  const token = inHeader ? header.slice('bearer '.length).trim() : inQuery
  if (token === undefined) {
    challenge(ctx, {})
    throw new HttpError(401, 'feature.token-missing', 'Send a token: Authorization: Bearer …')
  }
  if (token.length > maxLength || !tokenSyntax.test(token))
    throw refuseToken(ctx, 'The token is malformed.')
  return token
}

const authenticationOf = (ctx: FwContext): Authentication | undefined =>
  ctx.plan?.settings.get(authenticationOfRoute) as Authentication | undefined

function acceptBearer(ctx: WithBearer, by: Authentication, found: FoundBearer | string): void {
  if (typeof found === 'string') throw refuseToken(ctx, found)
  ctx[bearerOfRequest] = { ...found, by }
  ctx.refuseSession()
}

/** Authenticates a request before its body is read. The options of a subclass replace those of its base. */
function authenticate(_controller: object, ctx: WithBearer): void | Promise<void> {
  const by = authenticationOf(ctx)!
  // The step of the base has done it.
  if (ctx[bearerOfRequest]?.by === by && !ctx.hasSession) return undefined
  const found = by.find(readToken(ctx, by), ctx)
  return isPromise(found)
    ? found.then((settled) => acceptBearer(ctx, by, settled))
    : acceptBearer(ctx, by, found)
}

const quotable = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

function createAuthentication(
  options: BearerOptions & (TokenLookUp<unknown> | FixedTokens<string> | JwtTokens<unknown>),
): Authentication {
  const { realm = 'api', maxLength = 8192, fromQuery = false } = options
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
  return { realm, maxLength, fromQuery, isJwt: 'jwt' in options, find }
}

/**
 * `mix(FwApiController, authenticateBearer({ find: (hash) => ApiKey.findBy({ hash }) }))`. Requests need the header
 * `Authorization: Bearer …` with a valid token; else the response is 401 with `WWW-Authenticate` (RFC 6750). Runs before
 * the body is read. The request needs no forgery token, and its session cookie is ignored. `find` gets the SHA-256 of the
 * token in hexadecimal, and returns `this.bearer`.
 * @throws FwError `feature.bearer-invalid`, `feature.package-missing`
 */
export function authenticateBearer<P>(options: BearerOptions & TokenLookUp<P>): BearerTrait<P>
/** `tokens` returns the valid tokens by name; `this.bearer` is the name. They are compared in constant time. */
export function authenticateBearer<N extends string>(
  options: BearerOptions & FixedTokens<N>,
): BearerTrait<N>
/** Verifies JWTs with the package `jose`. `this.bearer` is the result of `principal`, else the claims of the token. */
export function authenticateBearer<P = TokenClaims>(
  options: BearerOptions & JwtTokens<P>,
): BearerTrait<P>
export function authenticateBearer({
  only,
  except,
  ...options
}: BearerOptions & (TokenLookUp<unknown> | FixedTokens<string> | JwtTokens<unknown>)) {
  const authentication = createAuthentication(options)
  const routes = { ...(only && { only }), ...(except && { except }) }
  return <B extends ControllerClass>(Base: B): B & Ctor<HasBearer<unknown>> => {
    abstract class AuthenticateBearer extends Base implements HasBearer<unknown> {
      get bearer(): unknown {
        return bearerOf(this.ctx).principal
      }
    }
    Object.defineProperty(AuthenticateBearer, 'name', { value: 'authenticateBearer' })
    const own = registrationsOf(AuthenticateBearer)
    own.configure(authenticationOfRoute, authentication, routes)
    own.add('guard', authenticate, routes)
    return AuthenticateBearer
  }
}

function bearerOf(ctx: WithBearer): FoundBearer {
  const bearer = ctx[bearerOfRequest]
  // A route that passed the request on may have another authentication.
  if (bearer !== undefined && bearer.by === authenticationOf(ctx)) return bearer
  throw new FwError(
    'feature.bearer-missing',
    `The route '${ctx.routeName}' of ${ctx.plan?.controllerName} has no bearer: mix authenticateBearer in before requireScopes, and do not exclude the route by only or except.`,
  )
}

const scopeSyntax = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/**
 * `mix(Base, requireScopes(['tasks:write'], { only: ['create'] }))`: the tokens of the chosen routes must have all of
 * these scopes; else the response is 403. A token's scopes are the member `scope`, `scopes` or `scp` of its claims, or of
 * what `find` returns: a list, or a text separated by spaces.
 * @throws FwError `feature.bearer-invalid`
 */
export function requireScopes(scopes: readonly string[], options: FilterOptions = {}): FilterTrait {
  const invalid = scopes.find((scope) => !scopeSyntax.test(scope))
  if (invalid !== undefined)
    throw new FwError(
      'feature.bearer-invalid',
      `'${invalid}' is not a scope: use ASCII without spaces and quotes.`,
    )
  return filterTrait('requireScopes', (own) => {
    own.configure(Symbol('scopes'), new RequiredScopes(scopes), options)
    const step = (_controller: object, ctx: FwContext): void => checkScopes(ctx, scopes)
    // For listings of the filters of a route.
    Object.defineProperty(step, 'name', { value: `checkScopes ${scopes.join(' ')}` })
    own.add('guard', step, options)
  })
}

function checkScopes(ctx: FwContext, scopes: readonly string[]): void {
  const given = readScopes(bearerOf(ctx).scopeSource)
  const missing = scopes.filter((scope) => !given.includes(scope))
  if (missing.length === 0) return
  const message = 'The token does not have the scope of this route.'
  challenge(ctx, { error: 'insufficient_scope', error_description: message })
  throw new HttpError(403, 'feature.scope-missing', message, { details: { missing } })
}
