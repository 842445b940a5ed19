/**
 * Reads the parent of a nested resource (`--parent companies`) from its controller and model, and adds the key of the parent or the owner to
 * the fields of the new resource.
 */
import { didYouMean, FwError } from '../../runtime/base.ts'
import { fieldTypes } from './field-type.ts'
import type { Attributes, Field } from './field.ts'
import { readScopedBy } from './owner-scope.ts'
import { pluralize, singularize } from './pluralize.ts'
import type { Project } from './project.ts'
import { modelPath, readReferenceTarget, readTitle } from './read-model.ts'
import {
  keyTypes,
  modelName,
  Name,
  parseName,
  plainKey,
  QualifiedName,
  type ParentNames,
} from './resource-names.ts'

const controllers = 'src/main/controller'
const ending = '-controller.ts'

const invalidParent = (message: string): FwError => new FwError('generate.parent-invalid', message)

function missingParent(project: Project, { namespace, name, file }: QualifiedName): FwError {
  const folder = [controllers, ...namespace.map(({ kebab }) => kebab)].join('/')
  const known = project
    .list(folder)
    .filter((fileName) => fileName.endsWith(ending))
    .map((fileName) => fileName.slice(0, -ending.length).replaceAll('-', '_'))
  const qualify = (word: string): string => [...namespace.map(({ snake }) => snake), word].join('.')
  const plural = pluralize(name.snake)
  const suggestion = known.includes(plural) ? plural : didYouMean(name.snake, known)
  return invalidParent(
    `There is no resource '${name.snake}': the file ${controllers}/${file}${ending} does not exist. ` +
      (suggestion === undefined
        ? `Generate it first: ./fw g scaffold ${qualify(name.snake)} ${singularize(name.snake)} name:String`
        : `Did you mean --parent ${qualify(suggestion)}?`),
  )
}

/** Reads the model that a controller imports: `#model/admin/company` has the namespace `admin` and the name `company`. */
function readModelName(text: string): { namespace: readonly Name[]; name: Name } | undefined {
  const model = /^\s*model: (\w+),/m.exec(text)?.[1]
  if (model === undefined) return undefined
  const path = new RegExp(
    `^import \\{[^}]*\\b${model}\\b[^}]*\\} from ['"]#model/([\\w/-]+)['"]`,
    'm',
  ).exec(text)?.[1]
  return path === undefined ? undefined : parseName(path)
}

/** @throws FwError `generate.parent-invalid`, `generate.model-missing` */
export function readParent(project: Project, parentName: string): ParentNames {
  const { namespace, name } = parseName(parentName)
  const resources = new QualifiedName(namespace, name)
  const file = `${controllers}/${resources.file}${ending}`
  const text = project.read(file)
  if (text === undefined) throw missingParent(project, resources)
  const model = readModelName(text)
  if (model === undefined)
    throw invalidParent(
      `'${name.snake}' cannot be a parent: ${file} names no model of a resource. Generate a resource, such as ` +
        './fw g scaffold companies company name:String.',
    )
  if (/\bresourcesBasePathPrefix: ['"][^'"]*:/.test(text))
    throw invalidParent(
      `'${name.snake}' cannot be a parent, because it is inside another resource: generators nest one level. ` +
        'Generate the resource without --parent, or nest it by hand as docs/resources.md shows.',
    )
  const resource = new QualifiedName(model.namespace, model.name)
  const { field, type } = readReferenceTarget(project, modelName(resource))
  const key = keyTypes.get(type)
  if (key === undefined)
    throw invalidParent(
      `'${name.snake}' cannot be a parent: its key ${field} is neither an integer, a text nor a UUID.`,
    )
  return {
    resources,
    resource,
    param: `${model.name.camel}Id`,
    key: { ...plainKey, ...key, field },
    title: readTitle(project.read(modelPath(modelName(resource)))!),
    hasPages: !/\bapiResource\(/.test(text),
    scopedBy: readScopedBy(project, modelName(resource)),
  }
}

/**
 * Adds a foreign key to the parent or the owner as the first field, unless the fields already contain it. No form contains the field,
 * because the path or the scope determines its value.
 */
export function addHiddenReference(
  { fields, associations }: Attributes,
  fieldName: string,
  references: Name,
): Attributes {
  const name = new Name(fieldName)
  const parentField: Field = {
    name,
    type: fieldTypes.get('Long')!,
    sql: 'bigint',
    isOptional: false,
    references,
    inForm: 'none',
  }
  // Omit the relation to the parent, because the field already implies it.
  const others = associations.filter(
    ({ kind, name: { snake } }) => kind !== 'belongsTo' || `${snake}_id` !== name.snake,
  )
  const at = fields.findIndex((field) => field.name.snake === name.snake)
  if (at < 0) return { fields: [parentField, ...fields], associations: others }
  const { isOptional } = fields[at]!
  return { fields: fields.with(at, { ...parentField, isOptional }), associations: others }
}
