/** params: typed reads, permitted fields */
export { toCamelCase, toSnakeCase, toUpperCamelCase } from './params/case.ts'
export type { DateNames, DateTimeNames, TimeNames } from './params/date-fields.ts'
export { type DateKind, readDateText } from './params/date-text.ts'
export { MultiParams } from './params/multi-params.ts'
export {
  type BigDecimal,
  parseBigInt,
  parseDouble,
  parseFloating,
  parseInteger,
} from './params/number-text.ts'
export {
  type OptionalParamType,
  ParamType,
  type ParamTypes,
  type ParamValueOf,
  takesList,
} from './params/param-type.ts'
export {
  type PermitFailure,
  type Permitted,
  type PermittedPartial,
  type PermittedValues,
  isPermitted,
  permitValues,
  readPermitted,
} from './params/permit.ts'
export type { ModelOptions } from './params/model-texts.ts'
export type { ParamValue } from './params/param-value.ts'
export { Params } from './params/single-params.ts'
export { type ParamSource, combineSources } from './params/source.ts'
