/** `ValidationError` and its message: from the application's messages, otherwise in English. */
import { toCamelCase } from '../params.ts'

/** A message parameter that is itself the key of a text. */
export interface I18nKeyParam {
  readonly i18nKey: string
}

/** A message parameter that is looked up in the messages; without a text there, it is the key itself. */
export const i18nKey = (key: string): I18nKeyParam => ({ i18nKey: key })

/** The value of `{1}`, `{2}`, … in a rule's message. */
export type MessageParam = string | I18nKeyParam

/** One failed rule. */
export interface ValidationError {
  /** The rule's name; its text is `error.<name>`. */
  readonly name: string
  readonly messageParams: readonly MessageParam[]
  /** The text of `withMessage`, which takes precedence over all message files. */
  readonly text?: string
}

/** The messages of a schema as errors. */
export const schemaErrors = (issues: readonly string[]): ValidationError[] =>
  issues.map((message) => ({ name: 'schema', messageParams: [message] }))

/** The result of a rule that passes. */
export const noErrors: readonly ValidationError[] = Object.freeze([])

/** A source of texts, such as the i18n of a request. `undefined` for a key without a text; `args` replace `{0}`, `{1}`, …. */
export interface MessageSource {
  message(key: string, ...args: readonly string[]): string | undefined
}

const invalidRange = '{0} is less or greater than expected range'
const atLeast = '{0} must be greater than or equal to {1}'
const atMost = '{0} must be less than or equal to {1}'
const within = '{0} must be greater than or equal to {1} or be less than or equal to {2}'

/** The English text of every rule, for messages without `error.<rule>`. A generated application copies them to its messages. */
export const defaultMessages: Readonly<Record<string, string>> = {
  required: '{0} is required',
  notNull: '{0} is required',
  notEmpty: '{0} is required',
  length: '{0} length must be {1}',
  minLength: '{0} length must be greater than or equal to {1}',
  maxLength: '{0} length must be less than or equal to {1}',
  minMaxLength: '{0} length must be greater than or equal to {1} or be less than or equal to {2}',
  numeric: '{0} must be numeric',
  intValue: invalidRange,
  longValue: invalidRange,
  doubleValue: '{0} must be a number',
  floatValue: '{0} must be a number',
  intMinValue: atLeast,
  longMinValue: atLeast,
  doubleMinValue: atLeast,
  floatMinValue: atLeast,
  intMaxValue: atMost,
  longMaxValue: atMost,
  doubleMaxValue: atMost,
  floatMaxValue: atMost,
  intMinMaxValue: within,
  longMinMaxValue: within,
  doubleMinMaxValue: within,
  floatMinMaxValue: within,
  same: '{0} must be the same',
  email: '{0} must be an e-mail',
  oneOf: '{0} must be one of: {1}',
  uuid: '{0} must be a UUID',
  url: '{0} must be a web address such as https://example.com',
  past: '{0} must be in the past',
  future: '{0} must be in the future',
  dateTimeFormat: '{0} must be a datetime value',
  dateFormat: '{0} must be a date value',
  timeFormat: '{0} must be a time value',
  invalid: '{0} is invalid',
  unique: '{0} is already taken',
  exists: '{0} does not exist',
  inUse: '{0} is still used elsewhere',
  overlaps: '{0} overlaps another record',
  outOfRange: invalidRange,
  schema: '{1}',
}

const fill = (text: string, args: readonly string[]): string =>
  text.replace(/\{(\d)\}/g, (placeholder, index: string) => args[Number(index)] ?? placeholder)

/** The message of `error`: its `withMessage` text, the application's text, the English text, or the rule's name. */
export function formatErrorMessage(
  error: ValidationError,
  label: string,
  messages?: MessageSource,
): string {
  const params = error.messageParams.map((param) =>
    typeof param === 'string' ? param : (messages?.message(param.i18nKey) ?? param.i18nKey),
  )
  const args = [label, ...params]
  if (error.text !== undefined) return fill(error.text, args)
  const text = messages?.message(`error.${error.name}`, ...args)
  if (text !== undefined) return text
  return Object.hasOwn(defaultMessages, error.name)
    ? fill(defaultMessages[error.name]!, args)
    : error.name
}

/** The label of a key: the text `<prefix>.<camelKey>`, otherwise `<camelKey>`, otherwise the key itself. */
export function resolveLabel(key: string, messages?: MessageSource, prefix?: string): string {
  if (messages === undefined) return key
  const camelKey = toCamelCase(key)
  const prefixed = prefix === undefined ? undefined : messages.message(`${prefix}.${camelKey}`)
  return prefixed ?? messages.message(camelKey) ?? key
}
