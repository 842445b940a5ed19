/** Parses durations: milliseconds as a number, or a text such as `5s`. */

/** A duration: milliseconds as a number, or a text such as `200ms`, `5s`, `1.5m`, `2h` or `7d`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

const amount = /^(\d{1,15}(?:\.\d{1,9})?) ?([A-Za-z]{0,3})$/
const durationUnits = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses an amount with a unit, such as `1.5m`; `undefined` for an invalid text or a fraction of the smallest unit. */
export function parseAmount(
  text: string,
  units: Readonly<Record<string, number>>,
): number | undefined {
  const [, number = '', unit = ''] = amount.exec(text) ?? []
  const factor = units[unit]
  if (number === '' || factor === undefined) return undefined
  const value = Number(number) * factor
  const rounded = Math.round(value)
  // In floating-point arithmetic, 1.1 × 1000 is not exactly 1100, so the result is rounded.
  return Math.abs(value - rounded) < 1e-6 && Number.isSafeInteger(rounded) ? rounded : undefined
}

/** Parses `200ms`, `5s`, `1.5m`, `2h` or `7d` to milliseconds; `undefined` if invalid. `0` needs no unit. */
export const parseDuration = (text: string): number | undefined =>
  text === '0' ? 0 : parseAmount(text, durationUnits)

/** Converts a duration to milliseconds. @throws TypeError for a text that is not a duration */
export function toMilliseconds(duration: Duration): number {
  if (typeof duration === 'number') return duration
  const millis = parseDuration(duration)
  if (millis !== undefined) return millis
  throw new TypeError(`'${duration}' is no duration: write milliseconds, or a text such as '5s'.`)
}
