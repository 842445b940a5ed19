/** `Delay`: durations of jobs, also written in words. */
import { FwError, Temporal, toMilliseconds, type Duration } from '../base.ts'

type Unit = 'second' | 'minute' | 'hour' | 'day'

/** A duration: milliseconds, a text such as `90s` or `5 minutes`, or a `Temporal.Duration` without months and years. */
export type Delay = Duration | `${number} ${Unit | `${Unit}s`}` | Temporal.Duration

const written = /^(\d+(?:\.\d+)?) (second|minute|hour|day)s?$/
const units: Readonly<Record<string, 's' | 'm' | 'h' | 'd'>> = {
  second: 's',
  minute: 'm',
  hour: 'h',
  day: 'd',
}

/** The longest delay: the setting of a timestamp beyond some thousand years would fail in the database. */
const longest = 100 * 366 * 24 * 60 * 60 * 1000

/** Returns the milliseconds of a delay. @throws FwError `jobs.option-invalid` */
export function delayMillis(delay: Delay, option: string): number {
  try {
    const millis = read(delay)
    if (millis >= 0 && millis <= longest) return millis
  } catch {
    // The error below explains what is valid.
  }
  throw new FwError(
    'jobs.option-invalid',
    `The option ${option} is ${String(delay)}: write a duration of at most 100 years, such as '90s' or '5 minutes'.`,
  )
}

function read(delay: Delay): number {
  if (delay instanceof Temporal.Duration) return delay.total('milliseconds')
  const [, number = '', unit = ''] = (typeof delay === 'string' && written.exec(delay)) || []
  return toMilliseconds(number === '' ? (delay as Duration) : `${Number(number)}${units[unit]!}`)
}
