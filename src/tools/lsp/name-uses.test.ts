import { expect, test } from 'vitest'
import { findNameUses, isQuotedKey, renamedUse } from './name-uses.ts'

const kinds = (code: string, name = 'name') =>
  findNameUses(code, name, 0, code.length).map(({ kind }) => kind)

test.each([
  ["orderBy('name')", ['text']],
  ['orderBy("name", `name`)', ['text', 'text']],
  ['permit({ name: ParamType.String })', ['key']],
  ['interface A { readonly name?: string }', ['key']],
  ['create({ id, name })', ['shorthand']],
  ['const { name = 1, id } = row', ['shorthand']],
  ['row.name + row?.name + row\n  .name', ['member', 'member', 'member']],
  ["{ name: 'name' }", ['key', 'text']],
])('%s', (code, expected) => {
  expect(kinds(code)).toEqual(expected)
})

test.each([
  'const name = 1',
  'save(name)',
  '[...name]',
  "'a name'",
  'names.fullname',
  '#name $name name$',
  'is ? name : other',
])('no use: %s', (code) => {
  expect(kinds(code)).toEqual([])
})

test('a name with a dollar sign is found', () => {
  expect(kinds('row.$ref', '$ref')).toEqual(['member'])
})

test('only uses between the offsets count', () => {
  const code = "f('name', 'name')"
  expect(findNameUses(code, 'name', 5, code.length)).toHaveLength(1)
})

test('the value of a shorthand property stays', () => {
  const [use] = findNameUses('{ name }', 'name', 0, 8)
  expect(renamedUse(use!, 'name', 'fullName')).toBe('fullName: name')
})

test.each([
  ["{ 'name': 1 }", true],
  ['interface A { readonly "name" ?: string }', true],
  ["const { 'name': other } = row", true],
  ["isNew ? 'name' : other", false],
  ["a ? b === 'name' : c", false],
  ["case 'name': return", false],
  ["orderBy('name')", false],
])('%s is a key in quotes: %s', (code, expected) => {
  const start = code.indexOf('name')
  expect(isQuotedKey(code, start, start + 4)).toBe(expected)
})
