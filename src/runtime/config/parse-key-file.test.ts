/** parseKeyFile: nesting, dotted keys, aliases, and the origin of each problem. */
import { expect, test } from 'vitest'
import { iterateLeaves, plainValue } from './key-tree.ts'
import { parseKeyFile } from './parse-key-file.ts'
import { formatOrigin } from './configuration-error.ts'

function read(text: string): unknown {
  const { section, problems } = parseKeyFile(text, 'a.yml')
  expect(problems).toEqual([])
  return JSON.parse(JSON.stringify(plainValue(section)))
}

function faults(text: string): string[] {
  const { problems } = parseKeyFile(text, 'a.yml')
  return problems.map(({ origin, text: why }) => `${formatOrigin(origin!)} ${why}`)
}

test('dotted keys are nested keys', () => {
  expect(read('a:\n  b: 1\na.c: 2\na.d.e: x')).toEqual({ a: { b: 1, c: 2, d: { e: 'x' } } })
})

test('YAML 1.2 core: yes, on and dates are strings; numbers are numbers', () => {
  expect(read('a: yes\nb: 2020-01-01\nc: 0x10\nd: 1.5\ne: true\nf: 012')).toEqual({
    a: 'yes',
    b: '2020-01-01',
    c: 16,
    d: 1.5,
    e: true,
    f: 12,
  })
})

test('a number keeps its text', () => {
  const { section } = parseKeyFile('a: 1.10\nb: 007\nc: 12345678901234567890', 'a.yml')
  expect([...iterateLeaves(section)].map(([, { text }]) => text)).toEqual([
    '1.10',
    '007',
    '12345678901234567890',
  ])
})

test('aliases and merges are resolved', () => {
  expect(read('a: &x { b: 1, c: 2 }\nd: { <<: *x, c: 3 }\ne: *x')).toEqual({
    a: { b: 1, c: 2 },
    d: { b: 1, c: 3 },
    e: { b: 1, c: 2 },
  })
  expect(read('a: &a { x: 1 }\nb: &b { x: 2, y: 2 }\nc: { <<: [*a, *b] }')).toMatchObject({
    c: { x: 1, y: 2 },
  })
})

test('an empty file and an empty value are absent', () => {
  expect(read('')).toEqual({})
  expect(read('# only a comment')).toEqual({})
  expect([...iterateLeaves(parseKeyFile('a:\nb: ~', 'a.yml').section)]).toEqual([])
})

test('__proto__ is a key like any other', () => {
  const { section } = parseKeyFile('__proto__: { x: 1 }\nconstructor.prototype.x: 1', 'a.yml')
  const value = plainValue(section) as Record<string, Record<string, unknown>>
  expect(Object.getPrototypeOf(value)).toBeNull()
  expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
  expect(({} as Record<string, unknown>)['x']).toBeUndefined()
})

test.each([
  ['a: 1\na: 2', 'a.yml:2:1 a occurs twice in its section, first in line 1: keep one of them'],
  ['a: 1\nb: "x', 'a.yml:2:6 missing closing "quote'],
  ['a:\n\t- b', 'a.yml:2:1 a tab indents this line: use spaces'],
  ['a: !secret x', 'a.yml:1:4 unresolved tag: !secret'],
  ['- a', 'a.yml:1:1 must contain keys and values, such as `port: 8080`'],
  ['a: 1\n---\nb: 2', 'a.yml:2:1 a file contains one document only; remove the `---`'],
  ['a: *b', 'a.yml:1:4 no `&b` precedes this alias'],
  ['a: &x [*x]', 'a.yml:1:8 an alias refers to a value that contains it'],
  ['a: 1\nb: x\u0007', 'a.yml:2:5 a control character is not allowed'],
  ['a..b: 1', 'a.yml:1:1 the key `a..b` has an empty part'],
  ['a:\n  b: 1\na.b: 2', 'a.yml:3:1 the key `a.b` was already given on line 2'],
  ['a.b.c: 1\na: { b: 2 }', 'a.yml:2:1 the key `a` was already given on line 1'],
  ['? [a]\n: 1', 'a.yml:1:3 a key must be a string'],
  [
    'a: { b: ${X} }',
    'a.yml:1:10 unexpected text; between { } or [ ] a value with ${…} needs quotes',
  ],
  ['a: { <<: 1 }', 'a.yml:1:10 `<<` merges sections only'],
])('%j', (text, expected) => {
  expect(faults(text)[0]).toBe(expected)
})

test('a key that occurs twice in a section with aliases is one problem', () => {
  expect(faults('a: &x\n  k: 1\n  k: 2\nb: *x\nc: *x')).toEqual([
    'a.yml:3:3 k occurs twice in its section, first in line 2: keep one of them',
  ])
})

test('the anchors of a repeated key are known', () => {
  expect(faults('a: 1\na: &x\n  k: 1\nb: *x')).toHaveLength(1)
})

test('an error never quotes the file, which may contain secrets', () => {
  for (const text of [
    'password: "hunter2',
    'password: [hunter2',
    'password: hunter2: x',
    'password: }hunter2',
  ]) {
    expect(faults(text).join()).not.toContain('hunter2')
    expect(faults(text)).not.toEqual([])
  }
})
