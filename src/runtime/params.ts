/** params: reads the parameters of a request with types, permits them for models, and copies them with other values. */
export { toCamelCase, toSnakeCase, toUpperCamelCase } from './params/case.ts'
export { type DateKind, parseDateParts } from './params/parse-date.ts'
export {
  type BigDecimal,
  parseBigInt,
  parseDouble,
  parseFloating,
  parseInteger,
} from './params/parse-number.ts'
export type { JsonSchema, JsonType } from './params/json-schema.ts'
export type { FieldFacet, SqlFacet, TypeDefinition } from './params/type-definition.ts'
export { isStorableJson, json as jsonDefinition } from './params/types/json.ts'
export {
  type OptionalParamType,
  ParamType,
  type ParamTypes,
  type ParamValueOf,
  columnTypes,
  formatText,
  isListType,
  isOptionalType,
  programType,
  readText,
  typeDefinitions,
} from './params/param-type.ts'
export {
  PermitError,
  type PermitFailure,
  type Permitted,
  type PermittedPartial,
  type PermittedValues,
  isPermitted,
  permitValues,
  readPermitted,
} from './params/permit.ts'
export { formText, listItems, listText, readList } from './params/form-texts.ts'
export { issueKey, runSchema } from './params/run-schema.ts'
export { Params, type ParamValue, withJsonTexts } from './params/single-params.ts'
export {
  MultiParams,
  type OverlayEntry,
  type ParamSource,
  combineSources,
  jsonOf,
  numberExamples,
  numberKind,
  isInstantType,
  readInstantText,
  readNumberText,
  textsFor,
  textsOf,
} from './params/source.ts'
export {
  type NumberKind,
  decimalsOf,
  formatForForm,
  mostDecimals,
} from './params/written-number.ts'
