/** Plans the files of a resource: `scaffold` has pages, `resource` has no views, and `api-resource` has no pages. */
import { FwError } from '../../runtime/base.ts'
import { parseAttributes, type Attributes, type Field } from './field.ts'
import { generateModel, parentImports } from './generate-model.ts'
import {
  generateApiController,
  generateResourceController,
  type ResourceKind,
} from './generate-resource-controller.ts'
import { generateResourceTests } from './generate-resource-tests.ts'
import { generateViews } from './generate-views.ts'
import { attachmentPages, isAttachment } from './attachments.ts'
import { addParentField, readParent } from './parent-resource.ts'
import { editFrontPage, editNavigation } from './edit-navigation.ts'
import { planMount } from './plan-mount.ts'
import { PlannedProject } from './planned-project.ts'
import type { Direction, Plan, Project } from './project.ts'
import { readModelFields, resolveReferenceTypes } from './read-model.ts'
import { editMessages, resourceMessages } from './resource-messages.ts'
import { parseResourceNames, plainKey, tableName, type ResourceNames } from './resource-names.ts'
import { indexTitle } from './title-field.ts'

export interface ResourceParts {
  readonly kind: ResourceKind
  readonly hasViews: boolean
}

/** Splits the words of a command into names and fields. Fields follow the names and contain a colon. */
export function splitWords(words: readonly string[]): { names: string[]; fields: string[] } {
  const first = words.findIndex((word) => word.includes(':'))
  const end = first < 0 ? words.length : first
  return { names: words.slice(0, end), fields: words.slice(end) }
}

export interface ResourceRequest {
  readonly words: readonly string[]
  readonly usage: string
  /** The name of the parent resource. */
  readonly parent: string | undefined
  readonly parts: ResourceParts
}

/**
 * Plans the files of a resource.
 * @throws FwError `generate.*`
 */
export function resourcePlan(
  project: Project,
  { words, usage, parent, parts }: ResourceRequest,
  direction: Direction,
): Plan {
  const parsed = splitWords(words)
  const parentNames = parent === undefined ? undefined : readParent(project, parent)
  const names = parseResourceNames(parsed.names, usage, parentNames)
  const attributes = completeAttributes(project, names, parsed.fields, direction)
  // The path determines the parent, so no page contains the parent's field.
  const fields = attributes.fields
    .filter(({ name }) => name.camel !== parentNames?.param)
    .map((field) =>
      isOwnPage(field, names, parts) ? { ...field, linksTo: names.resources.camel } : field,
    )
  if (fields.length === 0 && direction === 'add')
    throw new FwError(
      'generate.arguments-invalid',
      `Name at least one field of ${names.resource.name.words}, such as name:String.`,
    )
  const { kind, hasViews } = parts
  if (!hasViews && direction === 'add' && fields.some(isAttachment))
    throw new FwError(
      'generate.arguments-invalid',
      `Generate ${names.resources.name.words} with fw g scaffold: forms upload attachments, and this generator writes no forms.`,
    )
  const planned = new PlannedProject(project)
  const attachments =
    direction === 'add' && fields.some(isAttachment)
      ? attachmentPages(project)
      : { files: [], notes: [] }
  planned.add(attachments.files)
  const factories = parentImports(attributes.fields)
  const model = { model: names.resource, table: tableName(names) }
  const mount = planMount(planned, names.resources, direction)
  const otherUser = direction === 'add' ? undefined : findOtherController(project, names)
  planned.add([
    ...(kind === 'api' ? [generateApiController()] : []),
    generateResourceController(names, fields, kind),
    ...(otherUser === undefined ? generateModel(project, model, attributes) : []),
    ...(hasViews ? generateViews(names, fields) : []),
    ...(hasViews || kind === 'api'
      ? generateResourceTests({ names, fields, key: plainKey, factories }, kind)
      : []),
    ...mount.files,
    editMessages(project, names, resourceMessages(names, fields), direction),
    ...(hasViews
      ? [...editNavigation(project, names, direction), ...editFrontPage(project, names, direction)]
      : []),
  ])
  return {
    files: planned.files,
    notes: [
      ...attachments.notes,
      ...mount.notes,
      ...(direction === 'add' && hasViews ? linkNote(names) : []),
      ...(otherUser === undefined
        ? []
        : [`${otherUser} still uses the model, so the model, its table and its factory stay.`]),
    ],
  }
}

/** Parses the fields and adds the foreign key to the parent. A removal without fields reads them from the model. */
function completeAttributes(
  project: Project,
  names: ResourceNames,
  words: readonly string[],
  direction: Direction,
): Attributes {
  const parsed = parseAttributes(words)
  const attributes =
    direction === 'remove' && parsed.fields.length === 0
      ? readModelFields(project, names.resource, tableName(names))
      : parsed
  const { parent } = names.resources
  const own = { model: names.resource, table: tableName(names) }
  const { fields, associations } =
    parent === undefined ? attributes : addParentField(attributes, parent)
  return { fields: indexTitle(resolveReferenceTypes(project, fields, own)), associations }
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
