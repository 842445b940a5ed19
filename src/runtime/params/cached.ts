/** `cached`: a function of a name that computes each result once. */

/** The maximum number of names in each cache, because clients choose the names of parameters. Later names are computed at each call. */
const maxKnown = 2000

/** Returns `convert` with a cache. The names are mostly fields of models, and a lookup costs a tenth of a conversion. */
export function cached<Result>(convert: (name: string) => Result): (name: string) => Result {
  const results = new Map<string, Result>()
  return (name) => {
    const known = results.get(name)
    if (known !== undefined || results.has(name)) return known as Result
    const result = convert(name)
    if (results.size < maxKnown) results.set(name, result)
    return result
  }
}
