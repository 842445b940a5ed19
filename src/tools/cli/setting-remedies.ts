/** Remedies for settings that are missing or invalid, in `fw doctor` and for a start that fails. */

const remedies: readonly (readonly [RegExp, string])[] = [
  [/\bsecretKeyBase\b/, "fw secret makes one: give it to the server as production's secretKeyBase"],
  [/\bserver\.hosts\b/, "Give the server's host names as production's server.hosts"],
]

/** The remedy for the setting that a problem's text names; `undefined` for a setting without a special one. */
export const findSettingRemedy = (text: string): string | undefined =>
  remedies.find(([pattern]) => pattern.test(text))?.[1]
