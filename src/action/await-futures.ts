/** Waits for several promises, but not for ever. */
import { HttpError } from '../base.ts'

/** What each of the promises gives, in their order. */
export type Settled<F extends readonly unknown[]> = { -readonly [K in keyof F]: Awaited<F[K]> }

/** A timer of more would fire at once. */
const longestTimer = 2 ** 31 - 1

function late(millis: number): HttpError {
  return new HttpError(
    504,
    'action.futures-late',
    `awaitFutures waited ${millis} milliseconds in vain: let it wait longer, or find what its futures wait for.`,
  )
}

/**
 * The values of all `futures` in their order, within `millis` milliseconds. The first rejection rejects at once; what
 * the others do later, rejections included, goes unnoticed. They are not cancelled: hand them `ctx.signal` for that.
 * @throws HttpError 504 `action.futures-late`, a fault like any other
 * @spec Async helpers
 */
export async function awaitFutures<const F extends readonly unknown[]>(
  millis: number,
  ...futures: F
): Promise<Settled<F>> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late(millis)), Math.min(millis, longestTimer))
  })
  try {
    // Promise.all listens to every future, so that none that rejects later is an unhandled rejection.
    return await Promise.race([Promise.all(futures), timeout])
  } finally {
    clearTimeout(timer)
  }
}
