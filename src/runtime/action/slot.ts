/** Typed values that a feature stores with a request, in the file of that feature. */

/** The end of a value: with the request, or with one attempt, after which another route or the same one runs. */
type Lifetime = 'request' | 'attempt'

/** The values are a member of the context, because a minor garbage collection keeps the keys of a `WeakMap`. */
const slotValues = Symbol('slotValues')

interface SlotHolder {
  [slotValues]?: Map<Slot<unknown>, unknown>
}

/** The place of one value in each request; its key is the context of the request. */
class Slot<T> {
  readonly lifetime: Lifetime

  constructor(lifetime: Lifetime) {
    this.lifetime = lifetime
  }

  get(ctx: object): T | undefined {
    return (ctx as SlotHolder)[slotValues]?.get(this) as T | undefined
  }

  set(ctx: object, value: T): void {
    const holder = ctx as SlotHolder
    holder[slotValues] ??= new Map()
    holder[slotValues].set(this, value)
  }
}

/** Creates a slot: `const formOfRequest = slot<MultipartForm>('request')`. */
export const slot = <T>(lifetime: Lifetime): Slot<T> => new Slot(lifetime)

/** Removes the values of an attempt that has ended. */
export function endAttempt(ctx: object): void {
  const values = (ctx as SlotHolder)[slotValues]
  if (values === undefined) return
  for (const one of values.keys()) if (one.lifetime === 'attempt') values.delete(one)
}
