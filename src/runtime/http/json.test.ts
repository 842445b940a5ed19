import { describe, expect, it } from 'vitest'
import { fieldsFromJson, parseJson } from './json.ts'

const list = (part: string, count: number): string => Array(count).fill(part).join()
const members = (count: number): string =>
  Array.from({ length: count }, (_, at) => `"k${at}":1`).join()
const nested = '['.repeat(60) + ']'.repeat(60)

describe('parseJson limits what a body costs, outside of texts', () => {
  it.each([
    [`[${list(nested, 8000)}]`, 'more than 10000 objects and lists'],
    [`[${list('[]', 10_000)}]`, 'more than 10000 objects and lists'],
    [`[${list('{}', 10_000)}]`, 'more than 10000 objects and lists'],
    [`{${members(15_001)}}`, 'more than 15000 members of objects'],
    [`[${list('1', 100_001)}]`, 'more than 100000 values'],
    ['['.repeat(65) + ']'.repeat(65), 'deeper than 64'],
  ])('rejects %.30j', (text, why) => {
    expect(() => parseJson(text)).toThrow(
      expect.objectContaining({
        status: 400,
        code: 'http.json-invalid',
        message: expect.stringContaining(why) as string,
      }),
    )
  })

  it.each([
    [`[${list('[]', 9999)}]`],
    [`{${members(15_000)}}`],
    [`[${list('1', 99_999)}]`],
    [JSON.stringify('[{:,"\\'.repeat(200_000))],
  ])('reads %.30j', (text) => {
    expect(JSON.stringify(parseJson(text))).toBe(text)
  })
})

it('fieldsFromJson counts an empty list as a value', () => {
  const lists = (count: number) => ({ a: Array.from({ length: count }, () => ({ b: [] })) })
  expect(fieldsFromJson(lists(10_000)).size).toBe(0)
  expect(() => fieldsFromJson(lists(10_001))).toThrow('more than 10000 values')
})

it('a list with numbers of many digits has at most 10,000 values, because exact numbers take long', () => {
  const list = (count: number) =>
    parseJson(JSON.stringify(Array.from({ length: count - 2 }, () => 1)).replace(/]$/, ',1e400]'))
  expect(fieldsFromJson(list(10_000)).size).toBe(0)
  expect(() => fieldsFromJson(list(10_003))).toThrow(
    expect.objectContaining({ status: 400, code: 'http.json-invalid' }),
  )
  expect(
    fieldsFromJson(parseJson(JSON.stringify(Array.from({ length: 50_000 }, () => 1)))).size,
  ).toBe(0)
})
