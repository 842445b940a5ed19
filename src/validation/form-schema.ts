/** Our forms as a Standard Schema, for libraries that take one. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { Params, type ParamTypes, type Permitted } from '../params.ts'
import { createForm } from './form.ts'
import type { KeyRules } from './param-key.ts'

/** A member's texts: a list gives several, an object none. */
function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (value === undefined || value === null || typeof value === 'object') return []
  return [String(value)]
}

/**
 * A Standard Schema of an object with these fields: its members are read as texts, its output is permitted.
 * Messages are the English ones; `path` is the field.
 */
export function formSchema<const S extends ParamTypes>(
  types: S,
  ...rules: readonly KeyRules<keyof S & string>[]
): StandardSchemaV1<{ readonly [K in keyof S]?: unknown }, Permitted<S>> {
  const validate = (value: unknown): StandardSchemaV1.Result<Permitted<S>> => {
    if (typeof value !== 'object' || value === null)
      return { issues: [{ message: 'must be an object' }] }
    const texts = Object.entries(value).map(([key, member]): [string, string[]] => [
      key,
      textsOf(member),
    ])
    const form = createForm(new Params(new Map(texts)), types, rules)
    if (form.validate()) return { value: form.permitted }
    return {
      issues: [...form.keyAndErrorMessages].flatMap(([key, messages]) =>
        messages.map((message) => ({ message, path: [key] })),
      ),
    }
  }
  return { '~standard': { version: 1, vendor: 'fwjs', validate } }
}
