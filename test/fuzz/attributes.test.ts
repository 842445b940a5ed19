/** Random tags with attributes in every form that people write: browsers read the values that the template was given. */
import fc from 'fast-check'
import { parseFragment } from 'parse5'
import { expect, test } from 'vitest'
import { evaluate } from '../view/evaluate.ts'

type Value = string | number | boolean | null | undefined

/** One attribute of a template, and the value that it prints, if it has an expression. */
interface Attribute {
  readonly name: string
  readonly equals: string
  readonly quote: string
  readonly before: string
  readonly after: string
  readonly value: Value
  /** How the attribute is printed: always, within a true or false condition, or with static text alone. */
  readonly form: 'expression' | 'if' | 'else' | 'static' | 'bare'
}

const booleans = ['checked', 'disabled', 'selected', 'readonly', 'async', 'OPEN']
const optionals = ['hidden', 'download', 'popover']
const plains = [
  'title',
  'class',
  'value',
  'alt',
  'aria-label',
  'data-x',
  'lang',
  'placeholder',
  'x-y',
]
const names = [...booleans, ...optionals, ...plains]

const text = fc.string({
  unit: fc.constantFrom(...`ab Zé0"'\`<>&=/;#$\\{}\n\t`, '&amp;', '&#34;', '&lt', '😀', '--'),
  maxLength: 12,
})
const value: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom(true, false, null, undefined, '', 0, 7, -1.5),
  text,
)
const staticText = fc.constantFrom('', '', 'a', 'b-c')

const attribute: fc.Arbitrary<Attribute> = fc.record({
  name: fc.constantFrom(...names),
  equals: fc.constantFrom('=', ' =', '= ', '\n=\t'),
  quote: fc.constantFrom('"', '"', "'", ''),
  before: staticText,
  after: staticText,
  value,
  form: fc.constantFrom('expression', 'expression', 'if', 'else', 'static', 'bare'),
})
const tag = fc.record({
  element: fc.constantFrom('p', 'input', 'option', 'a', 'my-element', 'video'),
  attributes: fc.uniqueArray(attribute, {
    maxLength: 5,
    selector: ({ name }) => name.toLowerCase(),
  }),
  end: fc.constantFrom('>', ' >', '\n>', ' />'),
})

const isBoolean = ({ name }: Attribute): boolean => booleans.includes(name)
/** True if the attribute is left out for `false`. A boolean attribute has one expression and nothing else. */
const isWhole = (one: Attribute): boolean =>
  isBoolean(one) || (optionals.includes(one.name) && one.before === '' && one.after === '')

function write(one: Attribute, at: number): string {
  const { name, equals, quote, form } = one
  const [before, after] = isBoolean(one) ? ['', ''] : [one.before, one.after]
  if (form === 'bare') return ` ${name}`
  if (form === 'static') return ` ${name}${equals}"${one.before}"`
  const printed = ` ${name}${equals}${quote}${before}\${v[${at}]}${after}${quote}`
  if (form === 'expression') return printed
  return form === 'if' ? ` #if (yes)${printed} #end` : ` #if (!yes)${printed} #else #end`
}

const plain = (given: Value): string => String(given ?? '')

/** Returns the value that a browser must read; `undefined` if the tag must not have the attribute. */
function expected(one: Attribute): string | undefined {
  if (one.form === 'else') return undefined
  if (one.form === 'bare') return ''
  if (one.form === 'static') return one.before
  if (!isWhole(one)) return one.before + plain(one.value) + one.after
  if (one.value === true) return ''
  return one.value === false || plain(one.value) === '' ? undefined : plain(one.value)
}

test('browsers read the attributes and values of random tags as the template was given them', () => {
  fc.assert(
    fc.property(tag, ({ element, attributes, end }) => {
      const template = `<${element}${attributes.map(write).join('')}${end}`
      const render = evaluate(`<%@val v: any %><%@val yes: boolean %>\n${template}`)
      const html = render({ v: attributes.map((one) => one.value), yes: true })
      const [node] = parseFragment(html.trimStart()).childNodes
      const read = node !== undefined && 'attrs' in node ? node.attrs : []
      const given = attributes.flatMap((one) => {
        const read = expected(one)
        return read === undefined ? [] : [{ name: one.name.toLowerCase(), value: read }]
      })
      expect({ html, attributes: read }).toEqual({ html, attributes: given })
    }),
    { numRuns: 500 },
  )
})
