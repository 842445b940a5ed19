/** The remedies for missing or invalid settings. `fw doctor` and a failed start print them. */

const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /\bsecretKeyBase\b/,
    'Run ./fw secret, and set the environment variable SECRET_KEY_BASE to its output. src/main/resources/application.yml must contain the line secretKeyBase: ${SECRET_KEY_BASE}.',
  ],
  [
    /\bserver\.hosts\b/,
    'Set the environment variable HOSTS to the host names, such as www.example.com,example.com. src/main/resources/application.yml must contain the line hosts: ${HOSTS} in its section server.',
  ],
]

/** Returns the remedy for the setting that is named in a problem's text; `undefined` if the setting has no special remedy. */
export const findSettingRemedy = (text: string): string | undefined =>
  remedies.find(([pattern]) => pattern.test(text))?.[1]
