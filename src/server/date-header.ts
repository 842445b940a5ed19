/** The current time as HTTP writes it, put into text once a second. */
let second = 0
let text = ''

/** The value of a `Date` header. */
export function httpDate(): string {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) {
    second = now
    text = new Date(now * 1000).toUTCString()
  }
  return text
}
