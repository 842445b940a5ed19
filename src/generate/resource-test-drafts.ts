/** The tests of a resource: its pages or its API, and what the forgery token holds off. */
import { quoted } from './code-text.ts'
import type { Draft, Site } from './draft.ts'
import type { Field } from './field.ts'
import { fillTemplate, type TemplateValues } from './fill-template.ts'
import { parentImports } from './model-drafts.ts'
import type { ResourceKind } from './resource-controller-draft.ts'
import type { ResourceNames } from './resource-names.ts'
import { titleField } from './view-drafts.ts'

/** What a form that passes sends. */
function formFunction(fields: readonly Field[]): string {
  const entries = fields.flatMap(({ name, type, references, isOptional }) => {
    if (references === undefined) return [`  ${name.camel}: ${quoted(type.sample)},`]
    return isOptional ? [] : [`  ${name.camel}: await create${references.upper}(),`]
  })
  return `const form = async () => ({\n${entries.join('\n')}\n})`
}

/** A field that can be wrong, and how. */
function invalidOf(fields: readonly Field[]): { field: Field; value: string } | undefined {
  const required = fields.find(({ isOptional, type }) => !isOptional && type.input !== 'checkbox')
  if (required !== undefined) return { field: required, value: '' }
  const typed = fields.find(({ type }) => type.wrong !== undefined)
  return typed === undefined ? undefined : { field: typed, value: typed.type.wrong! }
}

function shownCheck(fields: readonly Field[]): string {
  const title = titleField(fields)
  return title === undefined ? '' : `assert.equal(shown.html('h1'), ${quoted(title.type.sample)})`
}

function valuesOf(
  names: ResourceNames,
  fields: readonly Field[],
  factories: string,
): TemplateValues {
  const { resources, resource } = names
  const invalid = invalidOf(fields)
  const key = invalid?.field.name.camel ?? ''
  return {
    title: resources.name.title,
    words: resources.name.words,
    Model: resource.name.upper,
    modelFile: resource.file,
    path: resources.path,
    pathPattern: resources.path.replaceAll('/', '\\/'),
    listTitle: resources.name.title,
    emptyText: `There are no ${resources.name.words} yet.`,
    createdText: `The ${resource.name.words} was created.`,
    updatedText: `The ${resource.name.words} was updated.`,
    factories,
    formFunction: formFunction(fields),
    shownCheck: shownCheck(fields),
    invalidKey: key,
    invalidField: key,
    invalidValue: invalid?.value ?? '',
  }
}

/** @throws FwError `generate.model-missing` */
export function resourceTestDrafts(
  site: Site,
  names: ResourceNames,
  fields: readonly Field[],
  kind: ResourceKind,
): Draft[] {
  const { resources, resource } = names
  const own = `import { create${resource.name.upper} } from '#test/factory/${resource.file}'`
  const factories = [...parentImports(site, fields), own].sort().join('\n')
  const values = valuesOf(names, fields, factories)
  const hasInvalid = invalidOf(fields) !== undefined
  const invalid = (template: string) => (hasInvalid ? fillTemplate(template, values) : '')
  const path = `src/test/controller/${resources.file}-controller.test.ts`
  if (kind === 'api') {
    const invalidTest = invalid('scaffold/api-invalid.ts')
    return [{ path, text: fillTemplate('scaffold/api.test.ts', { ...values, invalidTest }) }]
  }
  const invalidTest = invalid('scaffold/invalid.ts')
  return [
    { path, text: fillTemplate('scaffold/controller.test.ts', { ...values, invalidTest }) },
    {
      path: `src/test/integration/${resources.file}.test.ts`,
      text: fillTemplate('scaffold/integration.test.ts', values),
    },
  ]
}
