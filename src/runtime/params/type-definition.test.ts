import { describe, expect, it } from 'vitest'
import { formatText, ParamType, readText, typeDefinitions } from '../params.ts'

describe('a type that an application defines', () => {
  class Money {
    readonly cents: number
    constructor(cents: number) {
      this.cents = cents
    }
  }
  const parse = (text: string) => {
    if (!/^\d+\.\d\d$/.test(text)) throw new Error('no amount')
    return new Money(Math.round(Number(text) * 100))
  }
  const money = ParamType.of<Money>({
    name: 'Money',
    expected: 'an amount',
    parse,
    format: ({ cents }) => (cents / 100).toFixed(2),
    sql: { type: 'numeric(12, 2)' },
  })

  it('has the facets of its definition, also as an optional type and as an element', () => {
    expect(money.name).toBe('Money')
    expect(money.definition?.sql?.type).toBe('numeric(12, 2)')
    expect(ParamType.optional(money).definition).toBe(money.definition)
    expect(ParamType.optional(ParamType.array(money)).element).toBe(money)
    expect(ParamType.array(money).definition).toBeUndefined()
  })

  it('rejects a text for which its function throws', () => {
    expect(money.parse('1.50')).toEqual(new Money(150))
    expect(money.parse('x')).toBeUndefined()
  })

  it('reads the text that its value has', () => {
    const text = formatText(money, new Money(150))
    expect(text).toBe('1.50')
    expect(readText(money, text)).toEqual(new Money(150))
    expect(readText(money, 'x')).toBeUndefined()
  })
})

describe.each(
  typeDefinitions.flatMap(({ name, field }) => (field ? [[name, field] as const] : [])),
)('the type %s', (name, { samples, invalidSample }) => {
  const type = ParamType.of(typeDefinitions.find((each) => each.name === name)!)

  it('converts its samples, and reads the texts of their values', () => {
    for (const sample of samples) {
      const value = type.parse(sample)
      expect(value).toBeDefined()
      expect(readText(type, formatText(type, value!))).toEqual(value)
    }
  })

  it('rejects its invalid sample', () => {
    if (invalidSample !== undefined) expect(type.parse(invalidSample)).toBeUndefined()
  })
})
