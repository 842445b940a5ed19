/** convert: the texts that each kind accepts and refuses. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDuration } from '../base.ts'
import { convert, parseSize } from './convert.ts'
import type { Kind } from './convert.ts'

const durations = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const sizes = { '': 1, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, kB: 1e3, MB: 1e6, GB: 1e9 }

test('every whole amount of every unit is exact', () => {
  const amounts = fc.nat(1_000_000)
  for (const [unit, factor] of Object.entries(durations)) {
    fc.assert(fc.property(amounts, (n) => void expect(parseDuration(n + unit)).toBe(n * factor)))
  }
  for (const [unit, factor] of Object.entries(sizes)) {
    fc.assert(fc.property(amounts, (n) => void expect(parseSize(n + unit)).toBe(n * factor)))
  }
})

test('any text becomes a safe, non-negative integer or undefined', () => {
  const unit = fc.constantFrom(...Object.keys(durations), ...Object.keys(sizes), 'x', ' s')
  const text = fc.oneof(
    fc.string(),
    fc.tuple(fc.double(), unit).map(([n, u]) => n + u),
  )
  fc.assert(
    fc.property(text, (written) => {
      for (const parsed of [parseDuration(written), parseSize(written)]) {
        expect(parsed === undefined || (Number.isSafeInteger(parsed) && parsed >= 0)).toBe(true)
      }
    }),
  )
})

test.each<[Kind, string, unknown]>([
  ['duration', '1.5s', 1500],
  ['duration', '5 s', 5000],
  ['duration', '0', 0],
  ['duration', '5', undefined],
  ['duration', '1.0001s', undefined],
  ['duration', '-1s', undefined],
  ['duration', '1S', undefined],
  ['size', '1.5KiB', 1536],
  ['size', '1mib', undefined],
  ['size', '1M', undefined],
  ['size', '0.3', undefined],
  ['size', '999999999999TiB', undefined],
  ['int', '42', 42],
  ['int', ' -7 ', -7],
  ['int', '0x1F', 31],
  ['int', '0o17', 15],
  ['int', '1.0', undefined],
  ['int', '1e3', undefined],
  ['int', '9007199254740992', undefined],
  ['int', '', undefined],
  ['double', '1.5', 1.5],
  ['double', '.5', 0.5],
  ['double', '1e3', 1000],
  ['double', '.inf', undefined],
  ['double', 'NaN', undefined],
  ['double', '1e999', undefined],
  ['boolean', 'true', true],
  ['boolean', 'Off', false],
  ['boolean', '1', undefined],
  ['string', ' x ', ' x '],
])('%s %j', (kind, text, expected) => {
  expect(convert(text, kind)).toBe(expected)
})
