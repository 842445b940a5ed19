/** The plural of an English word, as a table is called, and back. */

/** Words that are the same for one and for many. */
const uncounted: ReadonlySet<string> = new Set(
  'staff equipment information news series species sheep fish metadata'.split(' '),
)

const irregular: ReadonlyMap<string, string> = new Map([
  ['person', 'people'],
  ['child', 'children'],
  ['man', 'men'],
  ['woman', 'women'],
  ['status', 'statuses'],
  ['alias', 'aliases'],
  ['bus', 'buses'],
  ['gas', 'gases'],
  ['bonus', 'bonuses'],
  ['virus', 'viruses'],
  ['datum', 'data'],
  ['medium', 'media'],
  ['criterion', 'criteria'],
  ['index', 'indices'],
  ['analysis', 'analyses'],
  ['basis', 'bases'],
  ['movie', 'movies'],
  ['leaf', 'leaves'],
  ['shelf', 'shelves'],
])
const irregularBack: ReadonlyMap<string, string> = new Map(
  [...irregular].map(([one, many]) => [many, one]),
)

/** `order_item`: the last word alone bends. */
function bend(name: string, word: (last: string) => string): string {
  const at = name.lastIndexOf('_') + 1
  return name.slice(0, at) + word(name.slice(at))
}

/** Whether the last word is the same for one and for many. */
export const isUncounted = (name: string): boolean => uncounted.has(name.replace(/^.*_/, ''))

/** `order_items` of `order_item`. */
export function plural(name: string): string {
  return bend(name, (word) => {
    if (uncounted.has(word)) return word
    const known = irregular.get(word)
    if (known !== undefined) return known
    if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
    if (/(?:s|x|z|ch|sh)$/.test(word)) return `${word}es`
    return `${word}s`
  })
}

/** `order_item` of `order_items`; a word that is no plural stays. */
export function singular(name: string): string {
  return bend(name, (word) => {
    if (uncounted.has(word) || irregular.has(word)) return word
    const known = irregularBack.get(word)
    if (known !== undefined) return known
    if (/[^aeiou]ies$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`
    if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2)
    return /[^su]s$/.test(word) && word.length > 2 ? word.slice(0, -1) : word
  })
}
