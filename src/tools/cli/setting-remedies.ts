/** Remedies for settings that are missing or invalid, in `fw doctor` and for a start that fails. */

const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /\bsecretKeyBase\b/,
    'Run ./fw secret, and set secretKeyBase to its output. A new application reads it from the variable SECRET_KEY_BASE.',
  ],
  [
    /\bserver\.hosts\b/,
    'Set server.hosts to the host names, such as www.example.com. A new application reads them from the variable HOSTS.',
  ],
]

/** The remedy for the setting that a problem's text names; `undefined` for a setting without a special one. */
export const findSettingRemedy = (text: string): string | undefined =>
  remedies.find(([pattern]) => pattern.test(text))?.[1]
