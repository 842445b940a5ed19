/** Typed values that a feature stores with a request, in the file of that feature. */

/** The end of a value: with the request, or with one attempt, after which another route or the same one runs. */
type Lifetime = 'request' | 'attempt'

/** The context of a request → its values. */
const valuesByContext = new WeakMap<object, Map<Slot<unknown>, unknown>>()

/** The place of one value in each request; its key is the context of the request. */
class Slot<T> {
  readonly lifetime: Lifetime

  constructor(lifetime: Lifetime) {
    this.lifetime = lifetime
  }

  get(ctx: object): T | undefined {
    return valuesByContext.get(ctx)?.get(this) as T | undefined
  }

  set(ctx: object, value: T): void {
    const values = valuesByContext.get(ctx)
    if (values === undefined) valuesByContext.set(ctx, new Map([[this, value]]))
    else values.set(this, value)
  }
}

/** Creates a slot: `const formOfRequest = slot<MultipartForm>('request')`. */
export const slot = <T>(lifetime: Lifetime): Slot<T> => new Slot(lifetime)

/** Removes the values of an attempt that has ended. */
export function endAttempt(ctx: object): void {
  const values = valuesByContext.get(ctx)
  if (values === undefined) return
  for (const one of values.keys()) if (one.lifetime === 'attempt') values.delete(one)
}
