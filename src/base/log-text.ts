/** Makes any text safe to stand on one line of a log. */

const longest = 2048

// C0, DEL, C1, line and paragraph separator, and the marks that turn the reading direction.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g
const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escape(char: string): string {
  return short[char] ?? '\\u' + char.charCodeAt(0).toString(16).padStart(4, '0')
}

/** Cuts a text to 2048 characters, and says how many it left out. */
export function cutText(text: string): string {
  return text.length <= longest
    ? text
    : `${text.slice(0, longest)}… (${text.length - longest} more characters)`
}

/**
 * The text with every character escaped that could end or forge a log line, or drive a terminal. Not cut.
 * Backslashes stay as they are, so text that is JSON already stays JSON.
 */
export function escapeControls(text: string): string {
  return text.replace(unsafe, escape)
}
