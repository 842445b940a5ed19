/** A whole resource: `scaffold` with pages, `resource` without its views, `api-resource` for programs. */
import { FwError } from '../base.ts'
import type { Draft, Plan, Site } from './draft.ts'
import { addMessages, removeMessages, type Messages } from './edit-messages.ts'
import { readAttributes, type Attributes, type Field } from './field.ts'
import { knownFields } from './known-fields.ts'
import { modelDrafts, parentImports } from './model-drafts.ts'
import { mounted, unmounted } from './mounting.ts'
import { insideParent, readParent } from './parent-resource.ts'
import { withReferenceTypes } from './reference-target.ts'
import {
  apiControllerDraft,
  resourceControllerDraft,
  type ResourceKind,
} from './resource-controller-draft.ts'
import { plainKey } from './resource-key.ts'
import { resourceMessages } from './resource-messages.ts'
import { readResourceNames, tableOf, textsOf, type ResourceNames } from './resource-names.ts'
import { resourceTestDrafts } from './resource-test-drafts.ts'
import { viewDrafts } from './view-drafts.ts'

/** Which of its parts a resource has. */
export interface ResourceParts {
  readonly kind: ResourceKind
  readonly hasViews: boolean
}

/** A resource as the command line describes it. */
export interface ResourceWords {
  readonly names: ResourceNames
  readonly attributes: Attributes
}

/** Beside the words of a generator. */
export interface GeneratorOptions {
  /** The resource that the written one is inside of. */
  readonly parent?: string
}

/** Names first, then words with a colon. @throws FwError `generate.arguments-invalid`, `generate.name-invalid`, `generate.field-invalid`, `generate.parent-invalid` */
export function readResource(
  site: Site,
  words: readonly string[],
  usage: string,
  { parent }: GeneratorOptions,
): ResourceWords {
  const first = words.findIndex((word) => word.includes(':'))
  const at = first < 0 ? words.length : first
  const inside = parent === undefined ? undefined : readParent(site, parent)
  const names = readResourceNames(words.slice(0, at), usage, inside)
  return { names, attributes: readAttributes(words.slice(at)) }
}

const messagesFile = 'src/main/resources/messages.yml'

/** `messages.yml`, changed. */
export function messagesDraft(site: Site, edit: (text: string) => string): Draft {
  return { path: messagesFile, text: edit(site.read(messagesFile) ?? ''), kind: 'edit' }
}

/** With the parent's key among the fields, each of the type that its column has. */
function completed(site: Site, { names, attributes }: ResourceWords): Attributes {
  const { parent } = names.resources
  const { fields, associations } =
    parent === undefined ? attributes : insideParent(attributes, parent)
  return { fields: withReferenceTypes(site, fields), associations }
}

/** The fields of pages: what a resource is inside of is said by the path. */
const pageFields = ({ resources }: ResourceNames, { fields }: Attributes): readonly Field[] =>
  fields.filter(({ name }) => name.camel !== resources.parent?.param)

function fileDrafts(
  site: Site,
  { names, attributes }: ResourceWords,
  { kind, hasViews }: ResourceParts,
  hasModel = true,
): Draft[] {
  const fields = pageFields(names, attributes)
  const tested = { names, fields, key: plainKey, parents: parentImports(site, attributes.fields) }
  const model = { model: names.resource, table: tableOf(names) }
  return [
    ...(kind === 'api' ? [apiControllerDraft()] : []),
    resourceControllerDraft(names, fields, kind),
    ...(hasModel ? modelDrafts(site, model, attributes) : []),
    ...(hasViews ? viewDrafts(names, fields) : []),
    ...(hasViews || kind === 'api' ? resourceTestDrafts(tested, kind) : []),
  ]
}

/** @throws FwError `generate.arguments-invalid`, `generate.model-missing` */
export function resourcePlan(site: Site, given: ResourceWords, parts: ResourceParts): Plan {
  const { names } = given
  const attributes = completed(site, given)
  const fields = pageFields(names, attributes)
  if (fields.length === 0)
    throw new FwError(
      'generate.arguments-invalid',
      `Name a field of ${names.resource.name.words} at least, such as name:String.`,
    )
  const messages: Messages = resourceMessages(names, fields)
  const edits = mounted(site, names.resources)
  const add = (text: string) => addMessages(text, textsOf(names), messages)
  return {
    drafts: [
      ...fileDrafts(site, { names, attributes }, parts),
      ...edits.drafts,
      messagesDraft(site, add),
    ],
    notes: [...edits.notes, ...(parts.hasViews ? wayIn(names) : [])],
  }
}

/** No page of the parent's is changed: people may have written it. */
function wayIn({ resources: { parent, camel, name } }: ResourceNames): readonly string[] {
  if (parent === undefined || !parent.hasPages) return []
  const view = `src/main/webapp/WEB-INF/views${parent.resources.path}/show.html.ssp`
  const url = `s.url(routes.${camel}.indexUrl, { ${parent.param}: item.${parent.key.field} })`
  return [`Lead to it from ${view}: <a href="\${${url}}">${name.title}</a>`]
}

/** What takes the resource away again; fields that are not given are those of its model. */
export function resourceRemoval(site: Site, given: ResourceWords, parts: ResourceParts): Plan {
  const { names } = given
  const isNamed = given.attributes.fields.length > 0
  const known = isNamed ? given.attributes : knownFields(site, names.resource, tableOf(names))
  const attributes = completed(site, { names, attributes: known })
  const messages = resourceMessages(names, pageFields(names, attributes))
  const edits = unmounted(site, names.resources)
  const remove = (text: string) => removeMessages(text, textsOf(names), messages)
  const other = otherController(site, names)
  return {
    drafts: [
      ...edits.drafts,
      messagesDraft(site, remove),
      ...fileDrafts(site, { names, attributes }, parts, other === undefined),
    ],
    notes:
      other === undefined
        ? edits.notes
        : [...edits.notes, `The model stays, with its table and its factory: ${other} is over it.`],
  }
}

/** Another controller beside it that needs the model: the same records may be on their own and inside others. */
function otherController(site: Site, { resources, resource }: ResourceNames): string | undefined {
  const folder = ['src/main/controller', ...resources.namespace.map(({ kebab }) => kebab)].join('/')
  const own = `${folder}/${resources.file.replace(/^.*\//, '')}-controller.ts`
  return site
    .list(folder)
    .map((name) => `${folder}/${name}`)
    .find(
      (path) =>
        path !== own &&
        path.endsWith('-controller.ts') &&
        new RegExp(`from ['"]#model/${resource.file}['"]`).test(site.read(path) ?? ''),
    )
}
