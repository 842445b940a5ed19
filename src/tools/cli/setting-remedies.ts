/** The remedies for missing or invalid settings. `fw doctor` and a failed start print them. */

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

/** Returns the remedy for the setting that is named in a problem's text; `undefined` if the setting has no special remedy. */
export const findSettingRemedy = (text: string): string | undefined =>
  remedies.find(([pattern]) => pattern.test(text))?.[1]
