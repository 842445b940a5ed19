import { expect, test } from 'vitest'
import { fuzzTemplates } from './random-templates.ts'

test('no value changes the structure of a random template', () => {
  const { compiled, renders, differences } = fuzzTemplates(20260101, 250, 60)
  expect(differences).toEqual([])
  expect(compiled).toBe(250)
  expect(renders).toBeGreaterThan(10_000)
})
