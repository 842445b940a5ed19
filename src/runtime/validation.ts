/** validation: rules for parameters, forms, and error messages by key. */
export {
  type Errors,
  KeyAndErrorMessages,
  Validation,
  type ValidationOptions,
  createValidation,
} from './validation/create-validation.ts'
export {
  references,
  schemaRefusals,
  toValidationError,
  unique,
} from './validation/database-rules.ts'
export { type Form, type ValidForm, createForm, formSchema } from './validation/form.ts'
export {
  type JsonSchema,
  type JsonType,
  type SchemaInput,
  type SchemaOutput,
  type StandardSchema,
  mergeSchemas,
  toJsonSchema,
} from './validation/schema.ts'
export {
  type I18nKeyParam,
  type MessageSource,
  type ValidationError,
  defaultMessages,
  formatErrorMessage,
  i18nKey,
} from './validation/messages.ts'
export {
  KeyRules,
  Rule,
  type RuleLike,
  checkAll,
  param,
  paramKey,
  rule,
} from './validation/rule.ts'
export { type SchemaForm, createSchemaForm } from './validation/schema-form.ts'
export {
  dateFormat,
  dateTimeFormat,
  doubleMaxValue,
  doubleMinMaxValue,
  doubleMinValue,
  doubleValue,
  email,
  floatMaxValue,
  floatMinMaxValue,
  floatMinValue,
  floatValue,
  future,
  intMaxValue,
  intMinMaxValue,
  intMinValue,
  intValue,
  length,
  longMaxValue,
  longMinMaxValue,
  longMinValue,
  longValue,
  maxLength,
  minLength,
  minMaxLength,
  notEmpty,
  notNull,
  numeric,
  oneOf,
  past,
  required,
  same,
  timeFormat,
  url,
  uuid,
} from './validation/rules.ts'
