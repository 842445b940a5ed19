/** Messages: the text of a failed rule, from the application's messages or in plain English. */
import { toCamelCase } from '../params.ts'
import type { ValidationError } from './validation-error.ts'

/** Where texts come from: the i18n of a request. `undefined` for a key without a text; `args` fill `{0}`, `{1}`, …. */
export interface MessageSource {
  message(key: string, ...args: readonly string[]): string | undefined
}

const belowOrAbove = '{0} is less or greater than expected range'
const atLeast = '{0} must be greater than or equal to {1}'
const atMost = '{0} must be less than or equal to {1}'
const within = '{0} must be greater than or equal to {1} or be less than or equal to {2}'

/** The English text of every rule, used where the messages have no `error.<rule>`; the application's file starts from these. */
export const defaultMessages: Readonly<Record<string, string>> = {
  required: '{0} is required',
  notNull: '{0} is required',
  notEmpty: '{0} is required',
  length: '{0} length must be {1}',
  minLength: '{0} length must be greater than or equal to {1}',
  maxLength: '{0} length must be less than or equal to {1}',
  minMaxLength: '{0} length must be greater than or equal to {1} or be less than or equal to {2}',
  numeric: '{0} must be numeric',
  intValue: belowOrAbove,
  longValue: belowOrAbove,
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
  outOfRange: belowOrAbove,
  schema: '{1}',
}

function fill(text: string, args: readonly string[]): string {
  return text.replace(
    /\{(\d)\}/g,
    (placeholder, index: string) => args[Number(index)] ?? placeholder,
  )
}

/** The text of `error` about `label`: its own, else of the messages, else the English one, else the rule's name. */
export function renderError(
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

/** What a key is called: the text `<prefix>.<camelKey>`, else `<camelKey>`, else the key. */
export function labelOf(key: string, messages?: MessageSource, prefix?: string): string {
  if (messages === undefined) return key
  const camelKey = toCamelCase(key)
  const own = prefix === undefined ? undefined : messages.message(`${prefix}.${camelKey}`)
  return own ?? messages.message(camelKey) ?? key
}
