/** Dates of HTTP headers (RFC 9110 §5.6.7): one form is written, three are read. */

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
// IMF-fixdate, the two-digit years of RFC 850, and asctime; a `; length=…` of old browsers may follow.
const fixDate = /^[a-z]{3}, (\d{2}) ([a-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) gmt(?:;.*)?$/
const rfc850 = /^[a-z]{6,9}, (\d{2})-([a-z]{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) gmt(?:;.*)?$/
const asctime = /^[a-z]{3} ([a-z]{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/

/** `Sun, 06 Nov 1994 08:49:37 GMT`; parts of a second are dropped. */
export function httpDate(date: Date): string {
  return date.toUTCString()
}

/** Undefined for anything but the three forms of HTTP. */
export function parseHttpDate(header: string): Date | undefined {
  const text = header.trim().toLowerCase()
  const fixed = fixDate.exec(text)
  if (fixed !== null) return dateOf(fixed[3]!, fixed[2]!, fixed[1]!, fixed.slice(4, 7))
  const old = rfc850.exec(text)
  if (old !== null) return dateOf(fullYear(old[3]!), old[2]!, old[1]!, old.slice(4, 7))
  const plain = asctime.exec(text)
  if (plain !== null) return dateOf(plain[6]!, plain[1]!, plain[2]!, plain.slice(3, 6))
  return undefined
}

// More than fifty years ahead means the century before.
function fullYear(twoDigits: string): string {
  const now = new Date().getUTCFullYear()
  const year = Math.floor(now / 100) * 100 + Number(twoDigits)
  return String(year > now + 50 ? year - 100 : year)
}

function dateOf(
  year: string,
  monthName: string,
  day: string,
  time: readonly string[],
): Date | undefined {
  const month = months.indexOf(monthName)
  const [hours, minutes, seconds] = time.map(Number) as [number, number, number]
  if (month === -1 || hours > 23 || minutes > 59 || seconds > 60) return undefined
  const date = new Date(Date.UTC(Number(year), month, Number(day), hours, minutes, seconds))
  // 31 February would roll over into March; a leap second rolls on by right.
  return date.getUTCDate() === Number(day) || seconds === 60 ? date : undefined
}
