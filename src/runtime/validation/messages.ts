/** `ValidationError` and its message, which comes from the application's messages or is in English. */
import { toCamelCase } from '../params.ts'

/** A message parameter that is the key of another message. */
export interface I18nKeyParam {
  readonly i18nKey: string
}

/** Creates a message parameter that is the key of another message. A key without a message is printed itself. */
export const i18nKey = (key: string): I18nKeyParam => ({ i18nKey: key })

/** A message parameter that lists values. The text of `draft` is the message `<prefix>.enum.<camelKey>.draft`, else `draft`. */
export interface ChoicesParam {
  readonly choices: readonly string[]
}

/** The value of the placeholder `{1}`, `{2}`, … in a rule's message. */
export type MessageParam = string | I18nKeyParam | ChoicesParam

/** The error of a failed rule. */
export interface ValidationError {
  /** The name of the rule. The message key is `error.<name>`. */
  readonly name: string
  readonly messageParams: readonly MessageParam[]
  /** The text given to `withMessage`, which takes precedence over all message files. */
  readonly text?: string
}

/** Converts the messages of a schema to validation errors. */
export const schemaErrors = (issues: readonly string[]): ValidationError[] =>
  issues.map((message) => ({ name: 'schema', messageParams: [message] }))

/** Returns the error of a number that can be read in two ways, or that is written as in another language. */
export const numberFormatError = (examples: string): ValidationError => ({
  name: 'numberFormat',
  messageParams: [examples],
})

export const noErrors: readonly ValidationError[] = Object.freeze([])

/**
 * A source of messages, such as the i18n of a request. Its method replaces `{0}`, `{1}`, … by `args`, and returns
 * `undefined` for a key without a message.
 */
export interface MessageSource {
  message(key: string, ...args: readonly string[]): string | undefined
}

const invalidRange = '{0} is less or greater than expected range'
const atLeast = '{0} must be greater than or equal to {1}'
const atMost = '{0} must be less than or equal to {1}'
const within = '{0} must be between {1} and {2}'

/**
 * The English message of every rule, used when the application has no message `error.<rule>`. The generator copies
 * these messages into new applications.
 */
export const defaultMessages: Readonly<Record<string, string>> = {
  required: '{0} is required',
  notNull: '{0} is required',
  notEmpty: '{0} is required',
  length: '{0} length must be {1}',
  minLength: '{0} length must be greater than or equal to {1}',
  maxLength: '{0} length must be less than or equal to {1}',
  minMaxLength: '{0} length must be between {1} and {2}',
  numeric: '{0} must be numeric',
  numberFormat: '{0} must be written like {1}',
  precision: '{0} must have at most {1} digits before the decimal point and {2} after it',
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
  fileSize: '{0} must be at most {1}',
  filesSize: '{0}: all files together must be at most {1}',
  unique: '{0} is already taken',
  exists: '{0} does not exist',
  inUse: '{0} is still used elsewhere',
  overlaps: '{0} overlaps another record',
  outOfRange: invalidRange,
  schema: '{1}',
}

const fill = (text: string, args: readonly string[]): string =>
  text.replace(/\{(\d)\}/g, (placeholder, index: string) => args[Number(index)] ?? placeholder)

/**
 * Returns the message of `error`: the text of `withMessage`, otherwise the application's message, the English message,
 * or the rule's name. `choiceText` returns the text of a value that the key may have.
 */
export function formatErrorMessage(
  error: ValidationError,
  label: string,
  messages?: MessageSource,
  choiceText: (choice: string) => string = (choice) => choice,
): string {
  const params = error.messageParams.map((param) => {
    if (typeof param === 'string') return param
    if ('choices' in param) return param.choices.map(choiceText).join(', ')
    return messages?.message(param.i18nKey) ?? param.i18nKey
  })
  const args = [label, ...params]
  if (error.text !== undefined) return fill(error.text, args)
  const text = messages?.message(`error.${error.name}`, ...args)
  if (text !== undefined) return text
  return Object.hasOwn(defaultMessages, error.name)
    ? fill(defaultMessages[error.name]!, args)
    : error.name
}

/** Returns the text of a value that a key may have: the message `<prefix>.enum.<camelKey>.<choice>`, otherwise the value. */
export function resolveChoice(
  key: string,
  choice: string,
  messages?: MessageSource,
  prefix?: string,
): string {
  if (prefix === undefined) return choice
  return messages?.message(`${prefix}.enum.${toCamelCase(key)}.${choice}`) ?? choice
}

/** Returns the label of a key: the message `<prefix>.<camelKey>`, otherwise `<camelKey>`, otherwise the key itself. */
export function resolveLabel(key: string, messages?: MessageSource, prefix?: string): string {
  if (messages === undefined) return key
  const camelKey = toCamelCase(key)
  const prefixed = prefix === undefined ? undefined : messages.message(`${prefix}.${camelKey}`)
  return prefixed ?? messages.message(camelKey) ?? key
}
