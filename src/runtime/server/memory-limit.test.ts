import { expect, test } from 'vitest'
import { defaultMemoryLimit } from './memory-limit.ts'

const gibibyte = 2 ** 30

test.each([
  ['one process', 1, 4 * gibibyte, Math.floor(3.8 * gibibyte)],
  ['four processes', 4, 4 * gibibyte, Math.floor(0.95 * gibibyte)],
  ['a container that allows more than the machine has', 1, 2 ** 63, 0],
  ['no container', 1, 0, 0],
])('the default for %s', (_, processes, allowed, limit) => {
  expect(defaultMemoryLimit(processes, allowed, 16 * gibibyte)).toBe(limit)
})
