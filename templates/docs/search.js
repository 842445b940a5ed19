// The search: an index over the sections of all pages, which is created in the browser.
import MiniSearch from './minisearch.js'

/** The words of questions, which say nothing about the answer. */
const stopWords = new Set(
  (
    'a about after all an and any are as at be before between by can do does each every for from get has have how i if in into is it its ' +
    'make me my need of on one only or our over own so some that the their them then there to use using want we what when where which ' +
    'while who why will with without you your'
  ).split(' '),
)

/** Phrases that mean the same, by the word that the index contains. */
const synonyms = [
  [/\b(?:log(?:ging|s)?|sign(?:ing|s)?)[ -]?in\b|\bsign[ -]?on\b/g, 'login'],
  [/\b(?:log(?:ging|s)?|sign(?:ing|s)?)[ -]?(?:out|off)\b/g, 'logout'],
  [/\b(?:sign[ -]?up|registering|register)\b/g, 'registration'],
  [/\be-?mails?\b/g, 'mail'],
  [/\bfile uploads?\b|\bupload(?:s|ing|ed)? (?:a |an )?files?\b/g, 'upload'],
  [/\bcron ?jobs?\b|\bcrontab\b|\bschedul(?:er|ing|ed)\b/g, 'cron'],
  [/\bbackground (?:jobs?|work|tasks?|workers?)\b|\bqueues?\b/g, 'job'],
  [/\bpaginat(?:e|ion|ing)\b|\bpaging\b/g, 'pagination'],
  [/\btranslat(?:e|ion|ions|ing)\b|\bi18n\b|\blocali[sz]ation\b/g, 'translation'],
  [/\benv(?:ironment)? vars?\b|\benvironment variables?\b/g, 'environment'],
  [/\b(?:postgres|postgresql|pg)\b/g, 'postgresql'],
  [/\b(?:js|javascript)\b/g, 'javascript'],
  [/\b(?:2fa|mfa|two[ -]factor|second factor)\b/g, 'totp'],
]

/** Replaces phrases by the words of the index. */
const normalize = (text) =>
  synonyms.reduce((changed, [phrase, word]) => changed.replace(phrase, word), text.toLowerCase())

/** Removes the endings of English words. */
function stem(word) {
  if (word.length < 5 || /[^a-z]/.test(word)) return word
  return word
    .replace(/ies$/, 'y')
    .replace(/sses$/, 'ss')
    .replace(/([^s])s$/, '$1')
    .replace(/(?:ing|ed)$/, '')
    .replace(/e$/, '')
    .replace(/([b-df-hj-np-tv-z])\1$/, '$1')
}

const options = {
  fields: ['title', 'keywords', 'page', 'text', 'code'],
  storeFields: ['title', 'page', 'text', 'weight'],
  tokenize: (text) => normalize(text).split(/[^\p{L}\p{N}_]+/u),
  processTerm: (term) => (term === '' || stopWords.has(term) ? null : stem(term)),
  searchOptions: {
    boost: { title: 6, keywords: 8, page: 3, text: 1, code: 0.3 },
    prefix: (term, at, terms) => at === terms.length - 1 && term.length > 1,
    fuzzy: (term) => (term.length > 4 ? 0.2 : 0),
    weights: { prefix: 0.3, fuzzy: 0.2 },
    boostDocument: (id, term, { weight }) => weight,
  },
}

/** The number of sections that a page may have among the results. */
const sectionsOfPage = 2

/** Returns the beginning of the text, or the part with a word of the query that comes later. */
function excerpt(text, terms) {
  const found = terms
    .map((term) => text.toLowerCase().indexOf(term.toLowerCase()))
    .filter((at) => at > 60)
  const from = found.length === 0 ? 0 : text.lastIndexOf(' ', Math.min(...found) - 50) + 1
  const end = text.indexOf(' ', from + 140)
  const part = text.slice(from, end === -1 ? undefined : end)
  return `${from > 0 ? '… ' : ''}${part}${end === -1 ? '' : ' …'}`
}

/** Returns a function that finds sections: `find('log in')` → `[{ id, title, page, excerpt }]`, best first. */
export function createSearch(documents) {
  const index = new MiniSearch(options)
  index.addAll(documents)
  return function find(query) {
    const found = index.search(query)
    const all = Math.max(...found.map(({ queryTerms }) => queryTerms.length))
    // A section with all words of the query comes before one with the same score and fewer of them.
    const rank = ({ score, queryTerms }) => score * (queryTerms.length / all) ** 2
    const count = new Map()
    const results = found
      .toSorted((one, other) => rank(other) - rank(one))
      .filter(({ page }) => {
        count.set(page, (count.get(page) ?? 0) + 1)
        return count.get(page) <= sectionsOfPage
      })
    return results.slice(0, 12).map(({ id, title, page, text, terms }) => ({
      id,
      title,
      page,
      excerpt: excerpt(text, terms),
    }))
  }
}
