/** The values of enums: the code of their type, and their labels, which are messages such as `post.enum.status.draft`. */
import type { Field } from './field.ts'
import { isEnum } from './field-type.ts'
import { capitalize, formatCall, quote } from './format-code.ts'

/** The columns before a declaration in a model: its indent. */
const indent = 2

/** Returns the type of an enum as code, one value on each line if a declaration in a model would be too long. */
export function enumCode(name: string, values: readonly string[], isOptional = false): string {
  const own = (columns: number): string => formatCall('ParamType.oneOf', values.map(quote), columns)
  // The line ends with a comma.
  const columns = indent + name.length + ': ,'.length
  if (!isOptional) return own(columns)
  return formatCall('ParamType.optional', [own(2 * indent + 1)], columns)
}

/** Returns the values in the code of a type, as on the command line: `draft,published`. */
export const readValues = (code: string): string =>
  [...code.matchAll(/(['"])(.*?)\1/g)].map(([, , value]) => value).join(',')

/** Matches a value that is the last part of a message key. */
const keyPart = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_ -]*[\p{L}\p{N}_-])?$/u

/** Whether the labels of a field are messages. Values such as `v1.5` cannot be parts of keys, so pages show the value. */
export const hasLabels = ({ type }: Field): boolean =>
  isEnum(type) && type.options.every((value) => keyPart.test(value))

export const labelKey = (messages: string, { name }: Field, value: string): string =>
  `${messages}.enum.${name.camel}.${value}`

/** Returns the label of a value: `In print` for `in-print`. */
const labelText = (value: string): string =>
  capitalize(value.replace(/(?<=\p{L})[-_]+(?=\p{L})/gu, ' '))

/** Returns the labels of all enums by field and value. */
export const enumLabels = (
  fields: readonly Field[],
): readonly (readonly [field: string, labels: Readonly<Record<string, string>>])[] =>
  fields
    .filter(hasLabels)
    .map(({ name, type }) => [
      name.camel,
      Object.fromEntries(type.options!.map((value) => [value, labelText(value)])),
    ])
