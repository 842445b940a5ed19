/** ValidationError: which rule a value failed, and what its message says. */

/** A message parameter that is itself the key of a text. */
export interface I18nKeyParam {
  readonly i18nKey: string
}

/** What stands for `{1}`, `{2}`, … in a rule's message. */
export type MessageParam = string | I18nKeyParam

/** One failed rule. */
export interface ValidationError {
  /** The rule's name; its text is `error.<name>`. */
  readonly name: string
  readonly messageParams: readonly MessageParam[]
  /** A text of the rule's own, that goes before every message file. */
  readonly text?: string
}

/** The failures of what passes. */
export const passed: readonly ValidationError[] = Object.freeze([])

/** A message parameter that is looked up in the messages; without a text there, the key itself. */
export function i18nKey(key: string): I18nKeyParam {
  return { i18nKey: key }
}
