/** `deviceName`: a short name of a device for its owner, from the header `User-Agent`. */

type Known = readonly (readonly [pattern: RegExp, name: string])[]

/** Browsers name others that they are compatible with, so the more special one comes first. */
const browsers: Known = [
  [/\bEdgA?(?:iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPT|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/\S+ (?:Mobile\/\S+ )?Safari\//, 'Safari'],
]

const systems: Known = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

const find = (known: Known, text: string): string | undefined =>
  known.find(([pattern]) => pattern.test(text))?.[1]

/**
 * Returns the browser and the system of a device, such as `Firefox, Linux`, from the header `User-Agent`. The client chooses the header, so
 * the name is only for its owner. The name of another program is the first word of the header, without its version and with at
 * most 40 characters; that of an empty header is `?`.
 */
export function deviceName(userAgent: string): string {
  const text = userAgent.slice(0, 512)
  const names = [find(browsers, text), find(systems, text)].filter((name) => name !== undefined)
  return names.length > 0 ? names.join(', ') : /^[^\s/]{1,40}/.exec(text.trim())?.[0] || '?'
}
