/** Where parameters come from: every text of a key, and the layers of a request laid over each other. */

/** Every text a client sent under a key, in its order; `undefined` when the key is absent. A `Map<string, string[]>` is one. */
export interface ParamSource {
  get(key: string): readonly string[] | undefined
  keys(): Iterable<string>
}

/** A source laid over another: its own keys win, a key with an empty list is hidden. */
export class OverlaySource implements ParamSource {
  readonly #own: ReadonlyMap<string, readonly string[]>
  readonly #base: ParamSource

  constructor(own: ReadonlyMap<string, readonly string[]>, base: ParamSource) {
    this.#own = own
    this.#base = base
  }

  get(key: string): readonly string[] | undefined {
    return this.#own.get(key) ?? this.#base.get(key)
  }

  *keys(): Iterable<string> {
    for (const key of this.#base.keys()) if (!this.#own.has(key)) yield key
    for (const [key, texts] of this.#own) if (texts.length > 0) yield key
  }

  /** `entries` laid over `source`; overlays stay one layer deep however many keys are added. */
  static over(
    source: ParamSource,
    entries: Iterable<readonly [string, readonly string[]]>,
  ): OverlaySource {
    if (!(source instanceof OverlaySource)) return new OverlaySource(new Map(entries), source)
    return new OverlaySource(new Map([...source.#own, ...entries]), source.#base)
  }
}

class RequestSource implements ParamSource {
  readonly #path: ParamSource
  readonly #query: ParamSource
  readonly #form: ParamSource | undefined

  constructor(path: ParamSource, query: ParamSource, form: ParamSource | undefined) {
    this.#path = path
    this.#query = query
    this.#form = form
  }

  get(key: string): readonly string[] | undefined {
    const path = this.#path.get(key)
    if (path !== undefined) return path
    const query = this.#query.get(key)
    const form = this.#form?.get(key)
    if (query === undefined) return form
    return form === undefined ? query : [...query, ...form]
  }

  keys(): Iterable<string> {
    return new Set([...this.#path.keys(), ...this.#query.keys(), ...(this.#form?.keys() ?? [])])
  }
}

/**
 * One source out of a request's: a path parameter replaces every other value of its key, query values stand before
 * form values. Nothing is copied; query and form are not asked for a key that the path holds.
 * @spec Parameter access › params searches both query and path parameters
 */
export function combineSources(
  path: ParamSource,
  query: ParamSource,
  form?: ParamSource,
): ParamSource {
  return new RequestSource(path, query, form)
}

/** The texts of `key`, else those of `key[]`; a key without any text is absent. */
export function textsOf(source: ParamSource, key: string): readonly string[] | undefined {
  const texts = source.get(key) ?? source.get(key + '[]')
  return texts === undefined || texts.length === 0 ? undefined : texts
}
