/** The text of values in the console. */
import { expect, test } from 'vitest'
import { FwError, Temporal } from '../../runtime/base.ts'
import { model } from '../../runtime/model.ts'
import { ParamType } from '../../runtime/params.ts'
import { Route } from '../../runtime/routing.ts'
import { Page } from '../testing.ts'
import { formatValue, installInspectors } from './console-values.ts'

installInspectors()
const shown = (value: unknown, width = 80) => formatValue(value, width, false)
const born = Temporal.PlainDate.from('2000-01-02')

test('rows are a table with numbers aligned right and absent values blank', () => {
  const rows = [
    { id: 1, name: 'Ann\n', born, note: undefined },
    { id: 10, name: 'Bo', born, note: 'x' },
  ]
  expect(shown(rows)).toBe(
    [
      'id  name   born        note',
      ' 1  Ann\\n  2000-01-02',
      '10  Bo     2000-01-02  x',
      '(2 rows)',
    ].join('\n'),
  )
})

test('rows that are too wide or differ in keys are printed as objects', () => {
  expect(shown([{ name: 'a'.repeat(30) }], 20)).toContain("name: 'aaa")
  expect(shown([{ a: 1 }, { b: 2 }])).toBe('[ { a: 1 }, { b: 2 } ]')
  expect(shown([])).toBe('[]')
})

test('only the first of many rows are printed', () => {
  const text = shown(Array.from({ length: 60 }, (_, id) => ({ id })))
  expect(text).toMatch(/^49$/m)
  expect(text).toMatch(/… and 10 more\n\(60 rows\)$/)
})

test('dates, models, routes, responses and errors are printed in one line', () => {
  expect(shown({ born })).toBe('{ born: 2000-01-02 }')
  expect(shown(model('members', { id: ParamType.Long, name: ParamType.String }))).toBe(
    'model of members (id, name)',
  )
  expect(shown(new Route('get', '/members/:id'))).toBe('GET /members/:id')
  expect(shown(new FwError('db.closed', 'It is closed.'))).toBe('It is closed. (db.closed)')
  const headers = { 'content-type': 'text/plain', location: '/x' }
  expect(shown(new Page(new Response('', { status: 302, headers }), new Uint8Array()))).toBe(
    '302, text/plain, to /x',
  )
  expect(shown(new Page(new Response(''), new TextEncoder().encode('ok')))).toContain('2 bytes\nok')
})
