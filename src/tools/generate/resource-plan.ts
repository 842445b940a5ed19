/** Plans the files of a resource: `scaffold` has pages, `resource` has no views, and `api-resource` has no pages. */
import { editCommonMessages } from './common-messages.ts'
import { findTitleField, parseAttributes, type Attributes, type Field } from './field.ts'
import { generateModel, parentImports } from './generate-model.ts'
import {
  generateApiController,
  generateResourceController,
  type Resource,
} from './generate-resource-controller.ts'
import { generateResourceTests } from './generate-resource-tests.ts'
import { generateViews } from './generate-views.ts'
import { attachmentPages, isAttachment } from './attachments.ts'
import { checkOwnerScope, markOwned, parseOwnerScope, type OwnerScope } from './owner-scope.ts'
import { addHiddenReference, readParent } from './parent-resource.ts'
import { editFrontPage, editNavigation } from './edit-navigation.ts'
import { planMount } from './plan-mount.ts'
import {
  invalidArguments,
  PlannedProject,
  type Command,
  type Plan,
  type Project,
} from './project.ts'
import { readModelFields, resolveReferenceTypes, type ModelNames } from './read-model.ts'
import { editMessages, readTestedTexts } from './resource-messages.ts'
import {
  modelName,
  parseResourceNames,
  plainKey,
  tableName,
  type ParentNames,
  type ResourceNames,
} from './resource-names.ts'

interface ResourceParts {
  readonly kind: 'pages' | 'api'
  readonly hasViews: boolean
}

/** Splits the words of a command into names and fields. Fields follow the names and contain a colon. */
export function splitWords(words: readonly string[]): { names: string[]; fields: string[] } {
  const first = words.findIndex((word) => word.includes(':'))
  const end = first < 0 ? words.length : first
  return { names: words.slice(0, end), fields: words.slice(end) }
}

/** What the path and the scope of a resource determine: no form contains their fields. */
interface HiddenReferences {
  readonly parent?: ParentNames | undefined
  readonly scope?: OwnerScope | undefined
}

/**
 * Parses the fields of a model and adds the foreign keys to its parent and its owner. A removal without fields reads them from the model.
 * Marks the title field as indexed, so that lists can sort by it.
 */
export function readAttributes(
  { project, direction }: Command,
  own: ModelNames,
  words: readonly string[],
  { parent, scope }: HiddenReferences = {},
): Attributes {
  const parsed = parseAttributes(words, project)
  const attributes =
    direction === 'remove' && parsed.fields.length === 0
      ? { ...parsed, fields: readModelFields(project, own) }
      : parsed
  const nested =
    parent === undefined
      ? attributes
      : addHiddenReference(attributes, parent.param, modelName(parent.resource))
  const { fields, associations } =
    scope === undefined ? nested : addHiddenReference(nested, scope.field, scope.model)
  const resolved = markOwned(project, resolveReferenceTypes(project, fields, own), { own, scope })
  const title = findTitleField(resolved)
  return {
    fields: resolved.map((field) => (field === title ? { ...field, isIndexed: true } : field)),
    associations,
  }
}

/** Plans the files of a resource. @throws FwError `generate.*` */
export function resourcePlan(command: Command, parts: ResourceParts): Plan {
  const { project, usage, direction, options } = command
  const { kind, hasViews } = parts
  const words = splitWords(command.words)
  const parent = options.parent === undefined ? undefined : readParent(project, options.parent)
  const scope = parseOwnerScope(project, options)
  if (scope !== undefined && parent?.resource.file === scope.model.file)
    throw invalidArguments(
      `The owner of the records is their parent: leave out --parent ${options.parent}, because visitors reach only their own.`,
    )
  if (scope !== undefined && direction === 'add') checkOwnerScope(project, scope, kind)
  const names = parseResourceNames(words.names, usage, parent)
  const { resources, resource } = names
  const model = { model: resource, table: tableName(names) }
  const attributes = readAttributes(command, model, words.fields, { parent, scope })
  // The path determines the parent, and the visitor the owner, so no page contains their fields.
  const hidden = [parent?.param, scope?.field]
  const fields = attributes.fields
    .filter(({ name }) => !hidden.includes(name.camel))
    .map((field) =>
      isOwnPage(field, names, parts) ? { ...field, linksTo: resources.camel } : field,
    )
  const isAdding = direction === 'add'
  if (isAdding) checkFields(names, fields, hasViews)
  if (isAdding && scope?.isDistributed === true) checkDistributed(fields)
  const planned = new PlannedProject(project)
  const attachments =
    isAdding && fields.some(isAttachment) ? attachmentPages(project) : { files: [], notes: [] }
  planned.add(attachments.files)
  const factories = parentImports(attributes.fields)
  const described: Resource = { names, fields, key: plainKey, kind, hasViews, factories, scope }
  const mount = planMount(planned, [resources], direction)
  const otherUser = isAdding ? undefined : findOtherController(project, names)
  planned.add([
    ...(kind === 'api' ? [generateApiController()] : []),
    generateResourceController(described),
    ...(otherUser === undefined ? generateModel(project, model, attributes, { scope }) : []),
    ...(hasViews ? generateViews(described) : []),
    ...(hasViews || kind === 'api'
      ? generateResourceTests(described, readTestedTexts(project))
      : []),
    ...mount.files,
    ...editMessages(project, [described], direction),
    ...(hasViews ? editNavigation(project, names, direction) : []),
  ])
  if (hasViews) planned.add(editFrontPage(planned, names, direction))
  planned.add(editCommonMessages(project, planned, direction))
  return {
    files: planned.files,
    notes: [
      ...attachments.notes,
      ...mount.notes,
      ...(isAdding && hasViews ? linkNote(names) : []),
      ...(otherUser === undefined
        ? []
        : [`${otherUser} still uses the model, so the model, its table and its factory stay.`]),
    ],
  }
}

/** @throws FwError `generate.arguments-invalid` without fields, or with attachments and without forms that upload them */
function checkFields(
  { resources, resource }: ResourceNames,
  fields: readonly Field[],
  hasViews: boolean,
): void {
  if (fields.length === 0)
    throw invalidArguments(
      `Name at least one field of ${resource.name.words}, such as name:String.`,
    )
  if (hasViews || !fields.some(isAttachment)) return
  throw invalidArguments(
    `Generate ${resources.name.words} with fw g scaffold: forms upload attachments, and this generator writes no forms.`,
  )
}

/** @throws FwError `generate.arguments-invalid` with attachments */
function checkDistributed(fields: readonly Field[]): void {
  if (fields.some(isAttachment))
    throw invalidArguments(
      'A trigger deletes attachments, and Citus refuses triggers of distributed tables: generate a table without attachments.',
    )
}

/** Whether a field references a record that the generated resource has a page for. */
const isOwnPage = (
  { references }: Field,
  { resources, resource }: ResourceNames,
  { hasViews }: ResourceParts,
): boolean => hasViews && resources.parent === undefined && references?.file === resource.file

/** Returns a note about linking from the parent's page, which is not edited because people may have changed it. */
function linkNote({ resources: { parent, camel, name } }: ResourceNames): readonly string[] {
  if (parent === undefined || !parent.hasPages) return []
  const view = `src/main/webapp/WEB-INF/views${parent.resources.path}/show.html.ssp`
  const url = `s.url(routes.${camel}.indexUrl, { ${parent.param}: item.${parent.key.field} })`
  return [`Add a link to ${view}: <a href="\${${url}}">${name.title}</a>`]
}

/** Finds another controller of the same model, because a model may have several resources. */
function findOtherController(
  project: Project,
  { resources, resource }: ResourceNames,
): string | undefined {
  const folder = ['src/main/controller', ...resources.namespace.map(({ kebab }) => kebab)].join('/')
  const own = `src/main/controller/${resources.file}-controller.ts`
  const importsModel = new RegExp(`from ['"]#model/${resource.file}['"]`)
  return project
    .list(folder)
    .map((name) => `${folder}/${name}`)
    .filter((path) => path !== own && path.endsWith('-controller.ts'))
    .find((path) => importsModel.test(project.read(path) ?? ''))
}
