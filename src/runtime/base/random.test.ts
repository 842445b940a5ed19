import { expect, onTestFinished, test, vi } from 'vitest'
import { takeRandomBytes, createUuidV7 } from './random.ts'

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

test('the UUIDs of a process are different and in order, also after its clock was set back', () => {
  vi.useFakeTimers({ now: new Date('2100-01-01T00:00:00Z') })
  onTestFinished(() => void vi.useRealTimers())
  const ids = Array.from({ length: 10_000 }, createUuidV7)
  vi.setSystemTime(new Date('2099-01-01T00:00:00Z'))
  ids.push(createUuidV7())
  const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  for (const id of ids) expect(id).toMatch(pattern)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids.map((id) => id.slice(24))).size).toBe(ids.length)
  expect(Number.parseInt(ids[0]!.replace('-', '').slice(0, 12), 16)).toBe(Date.UTC(2100, 0, 1))
})
