/** The parameters of a path, `splat` and `captures` among them. */
import type { ParamSource } from '../params.ts'
import type { PathParams } from '../routing.ts'

/** What a matched route captured, as a source of parameters. @spec Parameter access */
export class PathSource implements ParamSource {
  readonly #params: PathParams

  constructor(params: PathParams) {
    this.#params = params
  }

  get(key: string): readonly string[] | undefined {
    if (key === 'splat') return this.#params.splat
    // A group that took no part keeps its place.
    if (key === 'captures') return this.#params.captures.map((text) => text ?? '')
    return this.#params.get(key)
  }

  keys(): Iterable<string> {
    return this.#params.keys()
  }
}

/** A source whose values go before those of another; an empty `splat` or `captures` is none. */
export function overlaid(above: ParamSource, below: ParamSource): ParamSource {
  return {
    get(key) {
      const found = above.get(key)
      return found === undefined || found.length === 0 ? below.get(key) : found
    },
    keys: () => new Set([...below.keys(), ...above.keys()]),
  }
}
