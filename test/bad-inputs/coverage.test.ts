/**
 * Checks that a test of this folder sends each row of rows.tsv. For any other row, `coveredElsewhere` must name a test,
 * or the reason why there is none.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { coveredElsewhere } from './covered-elsewhere.ts'

const folder = import.meta.dirname
const text = (file: string): string => readFileSync(join(folder, '../..', file), 'utf8')
const ids = readFileSync(join(folder, 'rows.tsv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.slice(0, line.indexOf('\t')))
const sent = readdirSync(folder)
  .filter((file) => file.endsWith('.test.ts') && !file.startsWith('coverage'))
  .map((file) => readFileSync(join(folder, file), 'utf8'))
  .join('\n')
const isSent = (id: string): boolean => new RegExp(`\\b${id}\\b`).test(sent)

test('each row has exactly one of: a test in this folder, a test elsewhere, a reason', () => {
  expect(ids.length).toBeGreaterThan(190)
  expect(ids.filter((id) => !isSent(id) && coveredElsewhere[id] === undefined)).toEqual([])
  expect(Object.keys(coveredElsewhere).filter((id) => isSent(id) || !ids.includes(id))).toEqual([])
})

test.each(Object.entries(coveredElsewhere).filter(([, coverage]) => !('open' in coverage)))(
  'the test that covers %s exists',
  (_id, coverage) => {
    const [file, title] = coverage as readonly [string, string]
    expect(text(file)).toContain(title)
  },
)
