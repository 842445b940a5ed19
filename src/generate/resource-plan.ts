/** A whole resource: `scaffold` with pages, `resource` without its views, `api-resource` for programs. */
import { FwError } from '../base.ts'
import type { Draft, Plan, Site } from './draft.ts'
import { addMessages, removeMessages, type Messages } from './edit-messages.ts'
import { readAttributes, type Attributes } from './field.ts'
import { knownFields } from './known-fields.ts'
import { modelDrafts, parentImports } from './model-drafts.ts'
import { mounted, unmounted } from './mounting.ts'
import {
  apiControllerDraft,
  resourceControllerDraft,
  type ResourceKind,
} from './resource-controller-draft.ts'
import { plainKey } from './resource-key.ts'
import { resourceMessages } from './resource-messages.ts'
import { readResourceNames, type ResourceNames } from './resource-names.ts'
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

/** Names first, then words with a colon. @throws FwError `generate.arguments-invalid`, `generate.name-invalid`, `generate.field-invalid` */
export function readResource(words: readonly string[], usage: string): ResourceWords {
  const first = words.findIndex((word) => word.includes(':'))
  const at = first < 0 ? words.length : first
  const names = readResourceNames(words.slice(0, at), usage)
  return { names, attributes: readAttributes(words.slice(at)) }
}

const messagesFile = 'src/main/resources/messages.yml'

/** `messages.yml`, changed. */
export function messagesDraft(site: Site, edit: (text: string) => string): Draft {
  return { path: messagesFile, text: edit(site.read(messagesFile) ?? ''), kind: 'edit' }
}

function fileDrafts(
  site: Site,
  { names, attributes }: ResourceWords,
  { kind, hasViews }: ResourceParts,
): Draft[] {
  const { fields } = attributes
  const { resource, resources } = names
  const tested = { names, fields, key: plainKey, parents: parentImports(site, fields) }
  return [
    ...(kind === 'api' ? [apiControllerDraft()] : []),
    resourceControllerDraft(names, fields, kind),
    ...modelDrafts(site, { model: resource, table: resources.snake }, attributes),
    ...(hasViews ? viewDrafts(names, fields) : []),
    ...(hasViews || kind === 'api' ? resourceTestDrafts(tested, kind) : []),
  ]
}

/** @throws FwError `generate.arguments-invalid`, `generate.model-missing` */
export function resourcePlan(site: Site, words: ResourceWords, parts: ResourceParts): Plan {
  const { names, attributes } = words
  if (attributes.fields.length === 0)
    throw new FwError(
      'generate.arguments-invalid',
      `Name a field of ${names.resource.name.words} at least, such as name:String.`,
    )
  const messages: Messages = resourceMessages(names, attributes.fields)
  const edits = mounted(site, names.resources)
  const add = (text: string) => addMessages(text, names.resource.camel, messages)
  return {
    drafts: [...fileDrafts(site, words, parts), ...edits.drafts, messagesDraft(site, add)],
    notes: edits.notes,
  }
}

/** What takes the resource away again; fields that are not given are those of its model. */
export function resourceRemoval(site: Site, given: ResourceWords, parts: ResourceParts): Plan {
  const { names } = given
  const isNamed = given.attributes.fields.length > 0
  const attributes = isNamed
    ? given.attributes
    : knownFields(site, names.resource, names.resources.snake)
  const words = { names, attributes }
  const messages = resourceMessages(names, attributes.fields)
  const edits = unmounted(site, names.resources)
  const remove = (text: string) => removeMessages(text, names.resource.camel, messages)
  return {
    drafts: [...edits.drafts, messagesDraft(site, remove), ...fileDrafts(site, words, parts)],
    notes: edits.notes,
  }
}
