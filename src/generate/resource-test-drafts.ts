/** The tests of a resource: its pages or its API, and what the forgery token holds off. */
import { toSnakeCase } from '../params.ts'
import { browserTestDraft } from './browser-test-draft.ts'
import { quoted } from './code-text.ts'
import type { Draft } from './draft.ts'
import type { Field } from './field.ts'
import { fillTemplate, type TemplateValues } from './fill-template.ts'
import { insideTests, parentFactory, placeValues } from './inside-tests.ts'
import type { ResourceKey } from './resource-key.ts'
import type { ResourceKind } from './resource-controller-draft.ts'
import type { ResourceNames } from './resource-names.ts'
import { titleField } from './view-drafts.ts'

/** What a form that passes sends. */
function formFunction(fields: readonly Field[]): string {
  const entries = fields.flatMap(({ name, type, references, isOptional, inForm }) => {
    if (inForm === 'none') return []
    const isSampled = type.sample !== '' || !isOptional
    if (references === undefined)
      return isSampled ? [`  ${name.camel}: ${quoted(type.sample)},`] : []
    return isOptional ? [] : [`  ${name.camel}: await create${references.upper}(),`]
  })
  return `const form = async () => ({\n${entries.join('\n')}\n})`
}

/** A field that can be wrong, and how. */
function invalidOf(fields: readonly Field[]): { field: Field; value: string } | undefined {
  const asked = fields.filter(({ inForm }) => inForm !== 'none')
  const required = asked.find(
    ({ isOptional, type }) => !isOptional && type.input !== 'checkbox' && type.input !== 'list',
  )
  if (required !== undefined) return { field: required, value: '' }
  const typed = asked.find(({ type }) => type.wrong !== undefined)
  return typed === undefined ? undefined : { field: typed, value: typed.type.wrong! }
}

function shownCheck(fields: readonly Field[]): string {
  const title = titleField(fields)
  return title === undefined || title.inForm === 'none'
    ? ''
    : `assert.equal(shown.html('h1'), ${quoted(title.type.sample)})`
}

function valuesOf(
  names: ResourceNames,
  fields: readonly Field[],
  factories: string,
  key: ResourceKey,
): TemplateValues {
  const { resources, resource } = names
  const invalid = invalidOf(fields)
  const invalidKey = invalid?.field.name.camel ?? ''
  return {
    title: resources.name.title,
    words: resources.name.words,
    Model: resource.name.upper,
    modelFile: resource.file,
    ...placeValues(names),
    listTitle: resources.name.title,
    emptyText: `There are no ${resources.name.words} yet.`,
    createdText: `The ${resource.name.words} was created.`,
    updatedText: `The ${resource.name.words} was updated.`,
    factories,
    formFunction: formFunction(fields),
    shownCheck: shownCheck(fields),
    idPattern: key.pattern,
    idMember: toSnakeCase(key.field),
    idInPath: key.isPlain ? 'id' : 'encodeURIComponent(id)',
    unknownIds: key.unknown.map(quoted).join(', '),
    invalidKey,
    invalidField: invalidKey,
    invalidValue: invalid?.value ?? '',
  }
}

/** The test of pages whose table no test can write. */
export function pageTestDraft({ names, fields, key }: TestedResource): Draft {
  const text = fillTemplate('scaffold/pages.test.ts', valuesOf(names, fields, '', key))
  return { path: `src/test/controller/${names.resources.file}-controller.test.ts`, text }
}

/** What the tests of a resource are made of. */
export interface TestedResource {
  readonly names: ResourceNames
  readonly fields: readonly Field[]
  readonly key: ResourceKey
  /** The imports of the factories of rows that a new one needs. */
  readonly parents: readonly string[]
}

export function resourceTestDrafts(
  { names, fields, key, parents }: TestedResource,
  kind: ResourceKind,
): Draft[] {
  const { resources, resource } = names
  const own = `import { create${resource.name.upper} } from '#test/factory/${resource.file}'`
  const factories = [...new Set([...parents, ...parentFactory(names), own])].sort().join('\n')
  const values = valuesOf(names, fields, factories, key)
  const hasInvalid = invalidOf(fields) !== undefined
  const invalid = (template: string) => (hasInvalid ? fillTemplate(template, values) : '')
  const path = `src/test/controller/${resources.file}-controller.test.ts`
  if (kind === 'api') {
    const invalidTest = invalid('scaffold/api-invalid.ts')
    const parentTests = insideTests(names, 'scaffold/api-inside.ts', values)
    const text = fillTemplate('scaffold/api.test.ts', { ...values, invalidTest, parentTests })
    return [{ path, text }]
  }
  const invalidTest = invalid('scaffold/invalid.ts')
  const parentTests = insideTests(names, 'scaffold/inside.ts', values)
  return [
    {
      path,
      text: fillTemplate('scaffold/controller.test.ts', { ...values, invalidTest, parentTests }),
    },
    {
      path: `src/test/integration/${resources.file}.test.ts`,
      text: fillTemplate('scaffold/integration.test.ts', values),
    },
    browserTestDraft(names, fields, parents),
  ]
}
