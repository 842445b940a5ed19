/** Finds the owners of bearer tokens: of tokens stored by their hash, and of tokens in the configuration. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FwContext } from '../action.ts'
import { FwError, isPromise } from '../base.ts'

/** The owner of a valid token. */
export interface FoundBearer {
  readonly principal: unknown
  /** The object that contains the scopes: the owner, or the claims of the token. */
  readonly scopeSource: unknown
}

/** Finds the owner of a token, or returns a text with the reason why the token is invalid. */
export type TokenFinder = (
  token: string,
  ctx: FwContext,
) => FoundBearer | string | Promise<FoundBearer | string>

type Found<P> = P | undefined | null

/** The option for tokens that the application stores by their hash. */
export interface TokenLookUp<P> {
  /** Returns the owner of the token with this SHA-256 (64 hexadecimal digits); `undefined` for an unknown token. */
  readonly find: (hash: string, ctx: FwContext) => Found<P> | Promise<Found<P>>
}

/** The option for tokens that the configuration contains. */
export interface FixedTokens<N extends string> {
  /** Returns the valid tokens by name; each must have at least 32 characters. */
  readonly tokens: () => Readonly<Record<N, string | undefined>>
}

function toBearer(principal: unknown): FoundBearer | string {
  const isFound = principal !== undefined && principal !== null
  return isFound ? { principal, scopeSource: principal } : 'The token is not valid.'
}

const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Finds the owner of a token by its hash, so the time of the look-up reveals nothing about stored tokens. */
export const findByHash =
  ({ find }: TokenLookUp<unknown>): TokenFinder =>
  (token, ctx) => {
    const found = find(hashToken(token).toString('hex'), ctx)
    return isPromise(found) ? Promise.resolve(found).then(toBearer) : toBearer(found)
  }

const shortest = 32

/** Finds the name of a token. Compares all tokens, so the time does not depend on the matching one. */
export const findByFixedTokens =
  ({ tokens }: FixedTokens<string>): TokenFinder =>
  (token) => {
    const given = hashToken(token)
    let principal: string | undefined
    for (const [name, valid] of Object.entries(tokens())) {
      if (valid === undefined || valid.length < shortest)
        throw new FwError(
          'feature.bearer-invalid',
          `The token '${name}' is missing or has fewer than ${shortest} characters: create one with ./fw secret.`,
        )
      if (timingSafeEqual(given, hashToken(valid))) principal = name
    }
    return toBearer(principal)
  }

/** Reads the scopes of claims or of a record: a list, or a text separated by spaces. */
export function readScopes(source: unknown): readonly string[] {
  if (typeof source !== 'object' || source === null) return []
  const record = source as Readonly<Record<string, unknown>>
  return ['scope', 'scopes', 'scp'].flatMap((name) => {
    const value = record[name]
    if (Array.isArray(value)) return value.filter((one) => typeof one === 'string')
    return typeof value === 'string' ? value.split(' ') : []
  })
}
