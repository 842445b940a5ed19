/** How values look in the console. */
import { expect, test } from 'vitest'
import { FwError, Temporal } from '../base.ts'
import { model } from '../model.ts'
import { ParamType } from '../params.ts'
import { Route } from '../routing.ts'
import { Page } from '../testing.ts'
import { showValue, teachInspect } from './console-values.ts'

teachInspect()
const shown = (value: unknown, width = 80) => showValue(value, width, false)
const born = Temporal.PlainDate.from('2000-01-02')

test('rows are a table, numbers to the right, what is absent blank', () => {
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

test('a table that is too wide, and rows that differ, are shown as they are written', () => {
  expect(shown([{ name: 'a'.repeat(30) }], 20)).toContain("name: 'aaa")
  expect(shown([{ a: 1 }, { b: 2 }])).toBe('[ { a: 1 }, { b: 2 } ]')
  expect(shown([])).toBe('[]')
})

test('of many rows the first are shown', () => {
  const text = shown(Array.from({ length: 60 }, (_, id) => ({ id })))
  expect(text).toMatch(/^49$/m)
  expect(text).toMatch(/… and 10 more\n\(60 rows\)$/)
})

test('dates, models, routes, answers and errors are told in a line', () => {
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
