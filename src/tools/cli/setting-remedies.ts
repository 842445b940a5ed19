/** Remedies for settings that are missing or invalid, in `fw doctor` and for a start that fails. */

const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /\bsecretKeyBase\b/,
    'Run fw secret, and set the variable SECRET_KEY_BASE, which application.yml reads, to its output.',
  ],
  [
    /\bserver\.hosts\b/,
    'Set the variable HOSTS, which application.yml reads, to the host names: HOSTS=www.example.com',
  ],
]

/** The remedy for the setting that a problem's text names; `undefined` for a setting without a special one. */
export const findSettingRemedy = (text: string): string | undefined =>
  remedies.find(([pattern]) => pattern.test(text))?.[1]
