import { expect, test } from 'vitest'
import { takeRandomBytes } from './random.ts'

test('no two random values share bytes, over the end of the block too', () => {
  const values = Array.from({ length: 1000 }, () => takeRandomBytes(24))
  const eights = values.flatMap((value) =>
    [0, 8, 16].map((at) => value.subarray(at, at + 8).toString('hex')),
  )
  expect(new Set(eights).size).toBe(3000)
  expect(eights).not.toContain('00'.repeat(8))
})

test.each([0, 1, 32, 4095, 4096, 4097, 10_000])('%i bytes', (size) => {
  const bytes = takeRandomBytes(size)
  expect(bytes).toHaveLength(size)
  if (size >= 1000) expect(new Set(bytes).size).toBeGreaterThan(200)
})

test('a value does not change when later ones are taken', () => {
  const value = takeRandomBytes(16)
  const text = value.toString('hex')
  for (let i = 0; i < 600; i++) takeRandomBytes(16)
  expect(value.toString('hex')).toBe(text)
})
