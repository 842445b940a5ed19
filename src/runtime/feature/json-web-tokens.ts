/** Verifies JSON Web Tokens of an authorization server with the package `jose`. */
import { createRequire } from 'node:module'
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose'
import type { FwContext } from '../action.ts'
import { FwError, HttpError, outsideRequests, toMilliseconds, type Duration } from '../base.ts'
import type { FoundBearer, TokenFinder } from './bearer-tokens.ts'

/** The claims of a verified token. */
export interface TokenClaims {
  readonly iss: string
  readonly aud: string | readonly string[]
  /** The expiry of the token in seconds since 1970. */
  readonly exp: number
  /** The subject of the token, such as the id of a user. */
  readonly sub?: string
  readonly [claim: string]: unknown
}

/** The options that determine which tokens are valid. */
export interface JwtOptions {
  /** The URL of the authorization server's public keys (JWKS). */
  readonly jwksUrl: string
  /** The exact value that the claim `iss` must have. */
  readonly issuer: string
  /** The value that the claim `aud` must have or contain; of several values, one suffices. */
  readonly audience: string | readonly string[]
  /** The accepted algorithms, which need public keys; by default RS256, PS256, ES256 and EdDSA. */
  readonly algorithms?: readonly string[]
  /** The required header `typ`, such as `at+jwt` for access tokens (RFC 9068). By default it is not checked. */
  readonly type?: string
  /** The tolerated difference between the clocks of both servers; by default 5 seconds. */
  readonly clockTolerance?: Duration
  /** The time for which keys are cached; by default 10 minutes. An unknown key is looked up at most every 30 seconds. */
  readonly maxKeyAge?: Duration
  /** True allows `http:` URLs for hosts other than this machine. */
  readonly allowHttp?: boolean
}

/** The option for tokens that an authorization server has signed. */
export interface JwtTokens<P> {
  readonly jwt: JwtOptions
  /** Converts the claims to `this.bearer`; returns `undefined` to reject the token. */
  readonly principal?: (
    claims: TokenClaims,
    ctx: FwContext,
  ) => P | undefined | null | Promise<P | undefined | null>
}

const defaultAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']
/** The algorithms with public keys. With a shared secret or no signature, other parties could create tokens. */
const publicKeyAlgorithm = /^(?:RS|PS|ES)(?:256|384|512)$|^EdDSA$|^Ed25519$|^ML-DSA-(?:44|65|87)$/

/** The error codes of `jose` that mean an invalid token. Other codes mean a problem of the keys or of the network. */
const tokenFaults: ReadonlySet<unknown> = new Set([
  'ERR_JOSE_ALG_NOT_ALLOWED',
  'ERR_JOSE_NOT_SUPPORTED',
  'ERR_JWKS_MULTIPLE_MATCHING_KEYS',
  'ERR_JWKS_NO_MATCHING_KEY',
  'ERR_JWS_INVALID',
  'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
  'ERR_JWT_CLAIM_VALIDATION_FAILED',
  'ERR_JWT_EXPIRED',
  'ERR_JWT_INVALID',
])

const localHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

const invalid = (message: string): FwError => new FwError('feature.bearer-invalid', message)

function parseKeysUrl({ jwksUrl, allowHttp = false }: JwtOptions): URL {
  const url = URL.parse(jwksUrl)
  if (url === null) throw invalid(`jwksUrl '${jwksUrl}' is no URL.`)
  const isLocal = url.protocol === 'http:' && (allowHttp || localHosts.has(url.hostname))
  if (url.protocol === 'https:' || isLocal) return url
  throw invalid(
    `jwksUrl '${jwksUrl}' is not https: whoever changes the response could sign tokens.`,
  )
}

function toVerifyOptions(options: JwtOptions): JWTVerifyOptions {
  const { issuer, audience, type, algorithms = defaultAlgorithms, clockTolerance = '5s' } = options
  const unsafe = algorithms.find((name) => !publicKeyAlgorithm.test(name))
  if (unsafe !== undefined)
    throw invalid(`The algorithm '${unsafe}' has no public keys: use one such as RS256 or ES256.`)
  const audiences = [audience].flat()
  // An environment variable may be missing, and `jose` does not check an undefined issuer.
  if (audiences.length === 0 || ![issuer, ...audiences].every(Boolean))
    throw invalid('jwt needs an issuer and an audience.')
  return {
    issuer,
    audience: audiences,
    algorithms: [...algorithms],
    requiredClaims: ['exp'],
    clockTolerance: toMilliseconds(clockTolerance) / 1000,
    ...(type === undefined ? {} : { typ: type }),
  }
}

/** Throws if the package is missing. Runs when a controller is defined, so the start fails instead of the first request. */
function checkPackage(): void {
  try {
    createRequire(import.meta.url).resolve('jose')
  } catch (cause) {
    throw new FwError('feature.package-missing', 'JWTs need the package jose: npm install jose', {
      cause,
    })
  }
}

type Verify = (token: string) => Promise<JWTPayload>

/** Loads the package `jose`, and creates the function that verifies tokens. Runs at the first request. */
async function createVerifier(options: JwtOptions, rules: JWTVerifyOptions): Promise<Verify> {
  const { createRemoteJWKSet, errors, jwtVerify } = await import('jose')
  const cacheMaxAge = toMilliseconds(options.maxKeyAge ?? '10m')
  const remote: JWTVerifyGetKey = createRemoteJWKSet(parseKeysUrl(options), { cacheMaxAge })
  // The keys, and the connection that fetches them, serve later requests too.
  const keys: JWTVerifyGetKey = (header, token) => outsideRequests(() => remote(header, token))
  return async (token) => {
    try {
      return (await jwtVerify(token, keys, rules)).payload
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
      // The token contains no key id, and during a key rotation several keys match: try each of them.
      for await (const key of error) {
        const verified = await jwtVerify(token, key, rules).catch((cause: unknown) => {
          if (!(cause instanceof errors.JWSSignatureVerificationFailed)) throw cause
        })
        if (verified !== undefined) return verified.payload
      }
      throw new errors.JWSSignatureVerificationFailed()
    }
  }
}

/**
 * Returns the reason for the client if the token is invalid.
 * @throws HttpError 503 `feature.keys-unavailable` for any other error, which is its cause
 */
function toRefusal(error: unknown, ctx: FwContext): string {
  const { code } = error as { readonly code?: unknown }
  if (!tokenFaults.has(code))
    throw new HttpError(503, 'feature.keys-unavailable', 'Tokens cannot be verified.', {
      cause: error,
    })
  ctx.logger.debug({ reason: (error as Error).message }, 'token refused')
  return code === 'ERR_JWT_EXPIRED' ? 'The token has expired.' : 'The token is not valid.'
}

/** Creates the finder that verifies JWTs. @throws FwError `feature.bearer-invalid`, `feature.package-missing` */
export function jwtFinder({ jwt, principal }: JwtTokens<unknown>): TokenFinder {
  const rules = toVerifyOptions(jwt)
  parseKeysUrl(jwt)
  checkPackage()
  let verifier: Promise<Verify> | undefined
  return async (token, ctx): Promise<FoundBearer | string> => {
    const verify = await (verifier ??= createVerifier(jwt, rules))
    const verified = await verify(token).catch((error: unknown) => toRefusal(error, ctx))
    if (typeof verified === 'string') return verified
    const claims = verified as TokenClaims
    const bearer = principal === undefined ? claims : await principal(claims, ctx)
    if (bearer === undefined || bearer === null) return 'The token is not valid.'
    return { principal: bearer, scopeSource: claims }
  }
}
