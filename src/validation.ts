/** validation: rules over params; messages by key */
export {
  type Errors,
  Validation,
  type ValidationOptions,
  createValidation,
} from './validation/create-validation.ts'
export {
  type DateLike,
  dateFormat,
  dateTimeFormat,
  future,
  past,
  timeFormat,
} from './validation/date-rules.ts'
export { oneOf, uuid } from './validation/choice-rules.ts'
export { formSchema } from './validation/form-schema.ts'
export { type Form, type ValidForm, createForm } from './validation/form.ts'
export {
  type JsonSchema,
  type JsonType,
  bothSchemas,
  jsonSchemaOf,
} from './validation/json-schema.ts'
export { KeyAndErrorMessages } from './validation/key-and-error-messages.ts'
export { type MessageSource, defaultMessages } from './validation/messages.ts'
export {
  doubleMaxValue,
  doubleMinMaxValue,
  doubleMinValue,
  doubleValue,
  floatMaxValue,
  floatMinMaxValue,
  floatMinValue,
  floatValue,
  intMaxValue,
  intMinMaxValue,
  intMinValue,
  intValue,
  longMaxValue,
  longMinMaxValue,
  longMinValue,
  longValue,
} from './validation/number-rules.ts'
export type { Outcome } from './validation/outcome.ts'
export { type KeyRules, type Subject, param, paramKey } from './validation/param-key.ts'
export { Rule, type RuleLike, checkAll, rule } from './validation/rule.ts'
export {
  type SchemaForm,
  type ValidSchemaForm,
  createSchemaForm,
} from './validation/schema-form.ts'
export type { StandardSchema } from './validation/standard-schema.ts'
export {
  type Measurable,
  type TrimOptions,
  email,
  length,
  maxLength,
  minLength,
  minMaxLength,
  notEmpty,
  notNull,
  numeric,
  required,
  same,
} from './validation/text-rules.ts'
export {
  type I18nKeyParam,
  type MessageParam,
  type ValidationError,
  i18nKey,
} from './validation/validation-error.ts'
