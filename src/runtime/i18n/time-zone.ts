/** Checks and names time zones. */

const longest = 64
const mostCached = 1000
/** The time zones that were asked for. Other texts are not stored: clients could fill the memory with them. */
const known = new Set<string>()

/** Returns true for the name of a time zone, such as `Europe/Berlin` or `UTC`, and for an offset such as `+05:30`. */
export function isTimeZone(text: string): boolean {
  if (text.length > longest) return false
  if (known.has(text)) return true
  try {
    void new Intl.DateTimeFormat('en', { timeZone: text })
  } catch {
    return false
  }
  if (known.size >= mostCached) known.clear()
  known.add(text)
  return true
}

/** Locale and time zone → name. */
const names = new Map<string, string>()

/** Returns the name of a time zone without its daylight saving time, such as `Central European Time`, and `UTC` for UTC. */
export function timeZoneName(locale: string, timeZone: string): string {
  if (/^(?:Etc\/)?(?:UTC|UCT|GMT|Zulu)$/i.test(timeZone)) return 'UTC'
  const key = `${locale} ${timeZone}`
  const cached = names.get(key)
  if (cached !== undefined) return cached
  const format = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'longGeneric' })
  // The name of a time without daylight saving time, such as that of 1970, would be that of the winter.
  const parts = format.formatToParts(Date.now())
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
  if (names.size >= mostCached) names.clear()
  names.set(key, name)
  return name
}
