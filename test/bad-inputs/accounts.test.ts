/** Every row of rows.tsv is sent here, tested in another file, or open with a reason. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { elsewhere } from './elsewhere.ts'

const here = import.meta.dirname
const text = (file: string): string => readFileSync(join(here, '../..', file), 'utf8')
const ids = readFileSync(join(here, 'rows.tsv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.slice(0, line.indexOf('\t')))
const sent = readdirSync(here)
  .filter((file) => file.endsWith('.test.ts') && !file.startsWith('accounts'))
  .map((file) => readFileSync(join(here, file), 'utf8'))
  .join('\n')
const isSent = (id: string): boolean => new RegExp(`\\b${id}\\b`).test(sent)

test('every row is accounted for, once', () => {
  expect(ids.length).toBeGreaterThan(190)
  expect(ids.filter((id) => !isSent(id) && elsewhere[id] === undefined)).toEqual([])
  expect(Object.keys(elsewhere).filter((id) => isSent(id) || !ids.includes(id))).toEqual([])
})

test.each(Object.entries(elsewhere).filter(([, account]) => !('open' in account)))(
  '%s has its test',
  (_id, account) => {
    const [file, title] = account as readonly [string, string]
    expect(text(file)).toContain(title)
  },
)
