/** The style attributes that the policy of a response permits. */
import type { FwContext } from './context.ts'
import { slot } from './slot.ts'

const allowedStyles = slot<string>('request')

/** Permits style attributes by their hashes, such as `'sha256-…'`, in the Content-Security-Policy of the response. */
export function allowStyles(ctx: FwContext, hashes: string): void {
  const known = allowedStyles.get(ctx)
  if (known === undefined) allowedStyles.set(ctx, hashes)
  else if (!known.includes(hashes)) allowedStyles.set(ctx, `${known} ${hashes}`)
}

/** Returns the hashes of the permitted style attributes; undefined without any. */
export const findAllowedStyles = (ctx: FwContext): string | undefined => allowedStyles.get(ctx)
