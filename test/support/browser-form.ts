/** Submits the form of a page as browsers do: with the texts that their inputs keep. */
import { type HTMLElement, parse } from 'node-html-parser'

const isDate = (text: string): boolean =>
  /^(?!0000)\d{4,}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/.test(text) &&
  new Date(`${text}T00:00:00Z`).getUTCDate() === Number(text.slice(-2))
const isTime = (text: string): boolean =>
  /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?$/.test(text)

/** The algorithms by which browsers sanitize the value of an input. @see https://html.spec.whatwg.org/#value-sanitization-algorithm */
const sanitizers: Readonly<Record<string, (text: string) => string>> = {
  text: (text) => text.replace(/[\r\n]/g, ''),
  search: (text) => text.replace(/[\r\n]/g, ''),
  email: (text) => text.replace(/[\r\n]/g, '').trim(),
  url: (text) => text.replace(/[\r\n]/g, '').trim(),
  date: (text) => (isDate(text) ? text : ''),
  time: (text) => (isTime(text) ? text : ''),
  hidden: (text) => text,
}

/** The parser of HTML changes line breaks and NUL, and removes the first line break of a textarea. */
const parsedText = (text: string): string => text.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd')

function valuesOf(element: HTMLElement): readonly string[] {
  const tag = element.rawTagName.toLowerCase()
  if (tag === 'textarea') {
    const text = element.childNodes.map((node) => node.rawText).join('')
    return [decode(parsedText(text).replace(/^\n/, '')).replace(/\r\n?|\n/g, '\r\n')]
  }
  if (tag === 'select') {
    const options = element.querySelectorAll('option')
    const chosen = options.find((option) => option.hasAttribute('selected')) ?? options[0]
    return chosen === undefined ? [] : [attribute(chosen, 'value')]
  }
  const type = element.getAttribute('type') ?? 'text'
  if (type === 'checkbox')
    return element.hasAttribute('checked') ? [attribute(element, 'value')] : []
  const sanitize = sanitizers[type]
  if (sanitize === undefined) throw new Error(`The form has an input of the type ${type}.`)
  return [sanitize(attribute(element, 'value')).replace(/\r\n?|\n/g, '\r\n')]
}

const attribute = (element: HTMLElement, name: string): string => {
  const raw = new RegExp(`\\s${name}="([^"]*)"`).exec(` ${element.rawAttrs}`)?.[1]
  return decode(parsedText(raw ?? ''))
}

const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const decode = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (all, decimal, hex, name: string) => {
    if (name !== undefined) return names[name] ?? all
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
  })

/** Returns the body that a browser submits for the page's form with this action, without a change by the visitor. */
export function submittedForm(html: string, action: string): string {
  const form = parse(html)
    .querySelectorAll('form')
    .find((each) => attribute(each, 'action') === action)
  if (form === undefined) throw new Error(`The page has no form for ${action}.`)
  const fields = new URLSearchParams()
  for (const element of form.querySelectorAll('input, textarea, select')) {
    const name = attribute(element, 'name')
    if (name !== '') for (const value of valuesOf(element)) fields.append(name, value)
  }
  return fields.toString()
}
