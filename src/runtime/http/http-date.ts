/** Formats and parses the dates of HTTP headers (RFC 9110 §5.6.7). */

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
// RFC 9110 has three formats: IMF-fixdate, RFC 850 with a two-digit year, and asctime. Old browsers append `; length=…`
// to `If-Modified-Since`.
const fixDate = /^[a-z]{3}, (\d{2}) ([a-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) gmt(?:;.*)?$/
const rfc850 = /^[a-z]{6,9}, (\d{2})-([a-z]{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) gmt(?:;.*)?$/
const asctime = /^[a-z]{3} ([a-z]{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})(?:;.*)?$/

/** Formats a date as `Sun, 06 Nov 1994 08:49:37 GMT`, without fractions of a second. */
export function httpDate(date: Date): string {
  return date.toUTCString()
}

let currentSecond = 0
let currentDate = ''

/** Returns the current time for a `Date` header. The text is cached for a second. */
export function currentHttpDate(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second !== currentSecond) {
    currentSecond = second
    currentDate = httpDate(new Date(second * 1000))
  }
  return currentDate
}

/** Parses the date of a header; undefined unless it has one of the three formats. */
export function parseHttpDate(header: string): Date | undefined {
  const text = header.trim().toLowerCase()
  const fixed = fixDate.exec(text)
  if (fixed !== null) return createDate(fixed[3]!, fixed[2]!, fixed[1]!, fixed.slice(4, 7))
  const old = rfc850.exec(text)
  if (old !== null) return createDate(fullYear(old[3]!), old[2]!, old[1]!, old.slice(4, 7))
  const plain = asctime.exec(text)
  if (plain !== null) return createDate(plain[6]!, plain[1]!, plain[2]!, plain.slice(3, 6))
  return undefined
}

// RFC 9110: a two-digit year more than fifty years in the future means the year a century earlier.
function fullYear(twoDigits: string): string {
  const now = new Date().getUTCFullYear()
  const year = Math.floor(now / 100) * 100 + Number(twoDigits)
  return String(year > now + 50 ? year - 100 : year)
}

function createDate(year: string, monthName: string, day: string, time: readonly string[]) {
  const month = months.indexOf(monthName)
  const [hours, minutes, seconds] = time.map(Number) as [number, number, number]
  if (month === -1 || hours > 23 || minutes > 59 || seconds > 60) return undefined
  const date = new Date(Date.UTC(Number(year), month, Number(day), hours, minutes, seconds))
  // `Date.UTC` turns 31 February into a day in March: reject it. A leap second may roll over to the next day.
  return date.getUTCDate() === Number(day) || seconds === 60 ? date : undefined
}
