/** Typed values that a feature stores with a request, in the file of that feature. */

/** The end of a value: with the request, or with one attempt, after which another route or the same one runs. */
type Lifetime = 'request' | 'attempt'

/** The values are a member of the context, because a minor garbage collection keeps the keys of a `WeakMap`. */
const slotValues = Symbol('slotValues')

interface SlotHolder {
  /** The slots and their values in alternation: a request has so few that a search is cheaper than a `Map`. */
  [slotValues]?: unknown[]
}

/** The place of one value in each request; its key is the context of the request. */
class Slot<T> {
  readonly lifetime: Lifetime

  constructor(lifetime: Lifetime) {
    this.lifetime = lifetime
  }

  get(ctx: object): T | undefined {
    const values = (ctx as SlotHolder)[slotValues]
    const at = values?.indexOf(this) ?? -1
    return at === -1 ? undefined : (values![at + 1] as T)
  }

  set(ctx: object, value: T): void {
    const holder = ctx as SlotHolder
    const values = (holder[slotValues] ??= [])
    const at = values.indexOf(this)
    if (at === -1) values.push(this, value)
    else values[at + 1] = value
  }
}

/** Creates a slot: `const formOfRequest = slot<MultipartForm>('request')`. */
export const slot = <T>(lifetime: Lifetime): Slot<T> => new Slot(lifetime)

/** Removes the values of an attempt that has ended. */
export function endAttempt(ctx: object): void {
  const values = (ctx as SlotHolder)[slotValues]
  if (values === undefined) return
  for (let at = values.length - 2; at >= 0; at -= 2)
    if ((values[at] as Slot<unknown>).lifetime === 'attempt') values.splice(at, 2)
}
