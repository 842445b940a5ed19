import { expect, test } from 'vitest'
import { compareSql, refusedSamples } from './random-sql.ts'

test('random SQL has the tokens and statements that PostgreSQL finds', async () => {
  expect(await refusedSamples()).toEqual([])
  const { differences, tokenized, parsed, statements } = await compareSql(20260101, 3000)
  expect(differences).toEqual([])
  expect(tokenized).toBeGreaterThan(1500)
  expect(parsed).toBeGreaterThan(1000)
  expect(statements).toBeGreaterThan(2000)
})
