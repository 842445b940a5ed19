/** The resource that another one is written inside of: `--parent companies`, as its controller and its model tell of it. */
import { didYouMean, FwError } from '../base.ts'
import type { Site } from './draft.ts'
import { fieldTypes } from './field-type.ts'
import type { Attributes, Field } from './field.ts'
import { plural, singular } from './plural.ts'
import { modelFile, referenceTarget } from './reference-target.ts'
import { keyTypes, plainKey } from './resource-key.ts'
import { Name, PlacedName, splitName, type ParentNames } from './resource-names.ts'

const controllers = 'src/main/controller'
const ending = '-controller.ts'

function invalid(why: string): FwError {
  return new FwError('generate.parent-invalid', why)
}

function missing(site: Site, { namespace, name, file }: PlacedName): FwError {
  const folder = [controllers, ...namespace.map(({ kebab }) => kebab)].join('/')
  const known = site
    .list(folder)
    .filter((each) => each.endsWith(ending))
    .map((each) => each.slice(0, -ending.length).replaceAll('-', '_'))
  const inNamespace = (word: string): string =>
    [...namespace.map(({ snake }) => snake), word].join('.')
  const many = plural(name.snake)
  const meant = known.includes(many) ? many : didYouMean(name.snake, known)
  return invalid(
    `There is no resource '${name.snake}': ${controllers}/${file}${ending} is not there. ` +
      (meant === undefined
        ? `Generate it first: ./fw g scaffold ${inNamespace(name.snake)} ${singular(name.snake)} name:String`
        : `Did you mean --parent ${inNamespace(meant)}?`),
  )
}

/** The model that a controller is over, `#model/admin/company` as its name and folder. */
function modelOf(text: string): { namespace: readonly Name[]; name: Name } | undefined {
  const model = /^\s*model: (\w+),/m.exec(text)?.[1]
  if (model === undefined) return undefined
  const path = new RegExp(
    `^import \\{[^}]*\\b${model}\\b[^}]*\\} from ['"]#model/([\\w/-]+)['"]`,
    'm',
  ).exec(text)?.[1]
  return path === undefined ? undefined : splitName(path)
}

const titled = /^\s*(name|title|label): ParamType\.String,/m

/** `companies`, `admin.companies`: as the resource itself is named. @throws FwError `generate.parent-invalid`, `generate.model-missing` */
export function readParent(site: Site, given: string): ParentNames {
  const { namespace, name } = splitName(given)
  const resources = new PlacedName(namespace, name)
  const file = `${controllers}/${resources.file}${ending}`
  const text = site.read(file)
  if (text === undefined) throw missing(site, resources)
  const model = modelOf(text)
  if (model === undefined)
    throw invalid(
      `Nothing can be inside '${name.snake}': ${file} names no model of a resource. Generate one, such as ` +
        './fw g scaffold companies company name:String.',
    )
  if (/\bresourcesBasePathPrefix: ['"][^'"]*:/.test(text))
    throw invalid(
      `Nothing is written inside '${name.snake}', which is inside another resource itself: one level is. ` +
        'Write it on its own, or by hand as docs/resources.md shows.',
    )
  const resource = new PlacedName(model.namespace, model.name)
  const { field, type } = referenceTarget(site, placedModel(resource))
  const key = keyTypes.get(type)
  if (key === undefined)
    throw invalid(
      `Nothing can be inside '${name.snake}': its key ${field} is neither a whole number, a text nor a UUID.`,
    )
  return {
    resources,
    resource,
    param: `${model.name.camel}Id`,
    key: { ...plainKey, ...key, field },
    title: titled.exec(site.read(modelFile(placedModel(resource)))!)?.[1],
    hasPages: !/\bapiResource\(/.test(text),
  }
}

/** A model's name with its folder, as fields point to it. */
const placedModel = ({ namespace, name }: PlacedName): Name =>
  new Name(name.snake, namespace.map(({ kebab }) => `${kebab}/`).join(''))

/** With the field that holds the parent's key: the one that points there, or a first one of its own. */
export function insideParent(
  { fields, associations }: Attributes,
  parent: ParentNames,
): Attributes {
  const name = new Name(parent.param)
  const own: Field = {
    name,
    type: fieldTypes.get('Long')!,
    sql: 'bigint',
    isOptional: false,
    references: placedModel(parent.resource),
    // It comes from the path, and stays.
    inForm: 'none',
  }
  // The field brings the relation with it.
  const others = associations.filter(
    ({ kind, name: { snake } }) => kind !== 'belongsTo' || `${snake}_id` !== name.snake,
  )
  const at = fields.findIndex((field) => field.name.snake === name.snake)
  if (at < 0) return { fields: [own, ...fields], associations: others }
  const { isOptional } = fields[at]!
  return { fields: fields.with(at, { ...own, isOptional }), associations: others }
}
