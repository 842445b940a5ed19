/**
 * Forms the English plural and singular of the last word of a name such as `order_item`. Users can override the result by
 * passing other names.
 */

/** Maps irregular singulars to plurals. A word that maps to itself is uncountable. */
const irregular: ReadonlyMap<string, string> = new Map(
  (
    'person people|child children|man men|woman women|status statuses|alias aliases|bus buses|gas gases|' +
    'bonus bonuses|virus viruses|datum data|medium media|criterion criteria|index indices|analysis analyses|' +
    'basis bases|movie movies|leaf leaves|shelf shelves|staff staff|equipment equipment|' +
    'information information|news news|series series|species species|sheep sheep|fish fish|metadata metadata'
  )
    .split('|')
    .map((pair) => pair.split(' ') as [string, string]),
)
const singulars = new Map([...irregular].map(([one, many]) => [many, one]))

function changeLastWord(name: string, change: (word: string) => string): string {
  const start = name.lastIndexOf('_') + 1
  return name.slice(0, start) + change(name.slice(start))
}

/** Whether the name's plural equals its singular. */
export function isUncountable(name: string): boolean {
  const word = name.replace(/^.*_/, '')
  return irregular.get(word) === word
}

export function pluralize(name: string): string {
  return changeLastWord(name, (word) => {
    if (irregular.has(word)) return irregular.get(word)!
    if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
    return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`
  })
}

/** Returns the singular of a plural name. A name that is not a plural is returned unchanged. */
export function singularize(name: string): string {
  return changeLastWord(name, (word) => {
    if (irregular.has(word)) return word
    if (singulars.has(word)) return singulars.get(word)!
    if (/[^aeiou]ies$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`
    if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2)
    return /[^su]s$/.test(word) && word.length > 2 ? word.slice(0, -1) : word
  })
}
