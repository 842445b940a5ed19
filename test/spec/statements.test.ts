/** The statements of the specification: each is as said, or different by a written decision, and where that is tested or written. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const [, ...lines] = read('test/spec/statements.tsv').trimEnd().split('\n')
const statements = lines.map((line) => {
  const [section = '', statement = '', verdict = '', where = ''] = line.split('\t')
  return { section, statement, verdict, where: where.split('; ') }
})
/** The rows of the tables, which have a reason in their last column. */
const differences = read('docs/differences.md')
  .split('\n')
  .filter((line) => /^\| .* \| .* \| .*\w.* \|$/.test(line))
const mostDecision = 38

const isKnown = (place: string): boolean => {
  if (place.startsWith('differences: '))
    return differences.some((row) => row.includes(place.slice('differences: '.length)))
  const decision = /^decision (\d+)$/.exec(place)?.[1]
  return decision === undefined ? existsSync(join(root, place)) : Number(decision) <= mostDecision
}

describe('the statements of the specification', () => {
  it('are 175, each once, as said or by decision', () => {
    const keys = new Set(statements.map(({ section, statement }) => `${section}: ${statement}`))
    const count = (verdict: string) => statements.filter((one) => one.verdict === verdict).length
    expect([keys.size, count('said'), count('decision')]).toEqual([175, 155, 20])
  })

  it('name tests, decisions and rows that exist', () => {
    const unknown = statements.flatMap(({ where }) => where.filter((place) => !isKnown(place)))
    expect(unknown).toEqual([])
  })

  it('that are as said have a test; the others have a decision or a row', () => {
    const isTest = (place: string) => place.endsWith('.test.ts')
    const wrong = statements.filter(({ verdict, where }) =>
      verdict === 'said' ? !where.some(isTest) : where.every(isTest),
    )
    expect(wrong).toEqual([])
  })
})
