/** Finds the value types that the application defines in `src/main/model/types/`, for fields such as `price:Money`. */
import { FwError } from '../../runtime/base.ts'
import type { ParamType } from '../../runtime/params.ts'
import { toFieldType, type FieldType } from './field-type.ts'
import type { Project } from './project.ts'
import { Name } from './resource-names.ts'

const pathOf = (name: Name): string => `src/main/model/types/${name.kebab}.ts`

/**
 * Returns the type that the application's file exports under its name: `Money` of `types/money.ts`. Returns `undefined` if there
 * is no such file.
 * @throws FwError `generate.field-invalid` if the file exports no type for a column
 */
export function findOwnType(project: Project, word: string): FieldType | undefined {
  if (!/^[A-Za-z]\w*$/.test(word)) return undefined
  const name = new Name(word)
  const path = pathOf(name)
  if (project.load === undefined || project.read(path) === undefined) return undefined
  const definition = (project.load(path)[name.pascal] as ParamType<never> | undefined)?.definition
  const type = definition && toFieldType(definition)
  if (type !== undefined)
    return { ...type, own: { name: name.pascal, path: `#model/types/${name.kebab}` } }
  throw new FwError(
    'generate.field-invalid',
    `The file ${path} does not export ${name.pascal} as a ParamType with the facets sql and field.`,
  )
}
