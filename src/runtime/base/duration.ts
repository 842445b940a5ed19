/** Durations: milliseconds as a number, or a text such as `5s`. */

/** Milliseconds, or a text: `200ms`, `5s`, `1.5m`, `2h`, `7d`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

const amount = /^(\d{1,15}(?:\.\d{1,9})?) ?([A-Za-z]{0,3})$/
const durationUnits: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/** The whole number that an amount with a unit stands for; `undefined` for anything else, and for fractions. */
export function parseAmount(text: string, units: ReadonlyMap<string, number>): number | undefined {
  const [, number = '', unit = ''] = amount.exec(text) ?? []
  const factor = units.get(unit)
  if (number === '' || factor === undefined) return undefined
  const value = Number(number) * factor
  const rounded = Math.round(value)
  // Floating-point arithmetic makes `1.1s` slightly different from 1100.
  return Math.abs(value - rounded) < 1e-6 && Number.isSafeInteger(rounded) ? rounded : undefined
}

/**
 * Milliseconds of a duration such as `200ms`, `5s`, `1.5m`, `2h`, `7d`; `0` needs no unit.
 * `undefined` for anything else, and for fractions of a millisecond.
 */
export const parseDuration = (text: string): number | undefined =>
  text === '0' ? 0 : parseAmount(text, durationUnits)

/** The milliseconds of a duration. @throws TypeError for a text that is none */
export function toMilliseconds(duration: Duration): number {
  if (typeof duration === 'number') return duration
  const millis = parseDuration(duration)
  if (millis !== undefined) return millis
  throw new TypeError(`'${duration}' is no duration: write milliseconds, or a text such as '5s'.`)
}
