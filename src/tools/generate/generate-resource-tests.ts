/** Generates the tests of a resource: its pages or API, its CSRF protection, and its pages in a browser. */
import { toSnakeCase } from '../../runtime/params.ts'
import { attachmentName, isAttachment } from './attachments.ts'
import type { Field } from './field.ts'
import { fillTemplate, type TemplateValues } from './fill-template.ts'
import { quote } from './format-code.ts'
import type { ResourceKind } from './generate-resource-controller.ts'
import { listQueries, listTests } from './list-fields.ts'
import type { GeneratedFile } from './project.ts'
import { isSearched, isTitled } from './relation-parts.ts'
import { resourceMessages } from './resource-messages.ts'
import {
  plainKey,
  type ParentNames,
  type ResourceKey,
  type ResourceNames,
} from './resource-names.ts'
import { findTitleField } from './title-field.ts'

export interface TestedResource {
  readonly names: ResourceNames
  readonly fields: readonly Field[]
  readonly key: ResourceKey
  /** The imports of the factories that create the rows a new row references. */
  readonly factories: readonly string[]
}

export function generateResourceTests(tested: TestedResource, kind: ResourceKind): GeneratedFile[] {
  const { names, fields, factories } = tested
  const { resources, resource } = names
  const ownFactory = `import { create${resource.name.pascal} } from '#test/factory/${resource.file}'`
  const parentFactories = parentFactoryImport(names)
  const values = testValues(tested, [...factories, ...parentFactories, ownFactory])
  const hasInvalid = findInvalidInput(fields) !== undefined
  const fill = (name: string, prefix = ''): string =>
    fillTemplate(`scaffold/${name}.ts`, {
      ...values,
      invalidTest: hasInvalid ? fillTemplate(`scaffold/${prefix}invalid.ts`, values) : '',
      optionTest: kind === 'pages' ? optionTest(fields, values) : '',
      listTests: listTests(fields, values),
      nestedTests: nestedTests(names, `scaffold/${prefix}nested.ts`, values),
    })
  const path = `src/test/controller/${resources.file}-controller.test.ts`
  if (kind === 'api') return [{ path, text: fill('api.test', 'api-') }]
  return [
    { path, text: fill('controller.test') },
    { path: `src/test/integration/${resources.file}.test.ts`, text: fill('integration.test') },
    generateBrowserTest(names, fields, [...factories, ...parentFactories]),
  ]
}

/** Generates a test of pages that inserts no rows, for a table into which tests cannot insert (`noFactoryReason`). */
export function generatePageTest(tested: TestedResource): GeneratedFile {
  const text = fillTemplate('scaffold/pages.test.ts', testValues(tested, []))
  return { path: `src/test/controller/${tested.names.resources.file}-controller.test.ts`, text }
}

/** Generates the test of the read-only pages of a view, whose rows tests cannot insert. */
export function generateReadOnlyTest(
  names: ResourceNames,
  fields: readonly Field[],
  key: ResourceKey | undefined,
): GeneratedFile {
  const values = testValues({ names, fields, key: key ?? plainKey, factories: [] }, [])
  const member = values['idMember']
  const idBinding = member === 'id' ? 'id' : `${member}: id`
  const idInPath = key?.isPlain === true ? 'id' : 'encodeURIComponent(id)'
  return {
    path: `src/test/controller/${names.resources.file}-controller.test.ts`,
    text: fillTemplate('scaffold/reads.test.ts', {
      ...values,
      listQueries: listQueries(fields),
      showTest:
        key === undefined
          ? ''
          : fillTemplate('scaffold/parts/show.ts', { ...values, idInPath, idBinding }),
    }),
  }
}

function testValues(
  { names, fields, key }: TestedResource,
  factories: readonly string[],
): TemplateValues {
  const { resources, resource } = names
  const invalid = findInvalidInput(fields)
  return {
    title: resources.name.title,
    words: resources.name.words,
    Model: resource.name.pascal,
    modelFile: resource.file,
    ...pathValues(names),
    listTitle: resources.name.title,
    emptyText: `There are no ${resources.name.words} yet.`,
    createdText: `The ${resource.name.words} was created.`,
    updatedText: `The ${resource.name.words} was updated.`,
    factories: [...new Set(factories)].sort().join('\n'),
    formFunction: formFunction(fields),
    titleCheck: titleCheck(fields),
    idPattern: key.pattern,
    idMember: toSnakeCase(key.field),
    idInPath: key.isPlain ? 'id' : 'encodeURIComponent(id)',
    unknownIds: key.unknown.map(quote).join(', '),
    invalidField: invalid?.name ?? '',
    invalidValue: invalid?.value ?? '',
  }
}

/** Generates the function `form()`, which returns valid inputs. */
function formFunction(fields: readonly Field[]): string {
  const entries = fields.flatMap(({ name, type, references, isOptional, inForm }) => {
    if (inForm === 'none') return []
    if (references !== undefined)
      return isOptional ? [] : [`  ${name.camel}: await create${references.pascal}(),`]
    const hasSample = type.sample !== '' || !isOptional
    return hasSample ? [`  ${name.camel}: ${quote(type.sample)},`] : []
  })
  return `const form = async () => ({\n${entries.join('\n')}\n})`
}

/** Finds an input that the validation rejects; `undefined` if every input is valid. */
function findInvalidInput(fields: readonly Field[]): { name: string; value: string } | undefined {
  const inputs = fields.filter(({ inForm }) => inForm !== 'none')
  const required = inputs.find(
    ({ isOptional, type }) => !isOptional && type.input !== 'checkbox' && type.input !== 'list',
  )
  const field =
    required ?? inputs.find(({ type }) => type.invalidSample !== undefined && type.name !== 'Json')
  if (field === undefined) return undefined
  return {
    name: field.name.camel,
    value: required === undefined ? field.type.invalidSample! : '',
  }
}

/** Generates the test of the search in a select; empty without a required reference. */
function optionTest(fields: readonly Field[], values: TemplateValues): string {
  const field = fields.find((each) => isTitled(each) && isWritten(each) && isSearched(each, fields))
  if (field === undefined) return ''
  const chosen = fields.filter(
    (each) => isWritten(each) && each.references?.file === field.references?.file,
  )
  return fillTemplate('scaffold/parts/options.ts', {
    ...values,
    reference: field.name.camel,
    // The select offers the empty option, and one record for each field that references the model.
    offered: String(1 + chosen.length),
  })
}

function titleCheck(fields: readonly Field[]): string {
  const title = findTitleField(fields)
  return title === undefined || title.inForm === 'none'
    ? ''
    : `assert.equal(shown.html('h1'), ${quote(title.type.sample)})`
}

const encodeParam = ({ param, key }: ParentNames): string =>
  key.isPlain ? param : `encodeURIComponent(${param})`

/** Returns the paths of the resource as code. A test of a nested resource first creates a parent. */
function pathValues({ resources }: ResourceNames): TemplateValues {
  const { parent, path, name } = resources
  if (parent === undefined)
    return {
      setup: '',
      owner: '',
      path: `'${path}'`,
      pathText: path,
      q: "'",
      pathPattern: path.replaceAll('/', '\\/'),
      pathParameter: '',
      pathArgument: '',
    }
  const { param, key } = parent
  const parentPath = parent.resources.path
  return {
    setup: [
      `const ${param} = await create${parent.resource.name.pascal}()`,
      `const path = \`${parentPath}/\${${encodeParam(parent)}}/${name.snake}\``,
    ].join('\n'),
    owner: `{ ${param} }`,
    path: 'path',
    pathText: '${path}',
    q: '`',
    pathPattern: `${parentPath}/${key.pattern}/${name.snake}`.replaceAll('/', '\\/'),
    pathParameter: 'path: string',
    pathArgument: 'path',
  }
}

const parentFactoryImport = ({ resources: { parent } }: ResourceNames): string[] => {
  if (parent === undefined) return []
  const { name, file } = parent.resource
  return [`import { create${name.pascal} } from '#test/factory/${file}'`]
}

/** Generates tests that a nested resource contains only the records of its parent; empty without a parent. */
function nestedTests(
  { resources }: ResourceNames,
  template: string,
  values: TemplateValues,
): string {
  const { parent, name } = resources
  if (parent === undefined) return ''
  const { pascal, words } = parent.resource.name
  const link = `${parent.resources.path}/\${${encodeParam(parent)}}`
  return fillTemplate(template, {
    ...values,
    Parent: pascal,
    parentWords: words,
    param: parent.param,
    paramMember: toSnakeCase(parent.param),
    missingPath: `${parent.resources.path}/${parent.key.unknown[0]}/${name.snake}`,
    linkCheck: parent.hasPages ? `assert.equal(list.all(\`a[href="${link}"]\`).length, 1)` : '',
  })
}

/** The code of the file that browser tests upload. */
const picture = `
/** An image of one pixel. */
const picture = {
  name: 'dot.gif',
  mimeType: 'image/gif',
  buffer: Buffer.from('R0lGODlhAQABAAAAACw=', 'base64'),
}`

function generateBrowserTest(
  names: ResourceNames,
  fields: readonly Field[],
  factories: readonly string[],
): GeneratedFile {
  const { resources } = names
  const { flash, view } = resourceMessages(names, fields) as Record<string, Record<string, string>>
  // A form does not contain stored bytes, so the test must enter them again for an update.
  const repeated = fields.filter(
    ({ type, isOptional, inForm }) =>
      type.name === 'ByteArray' && !isOptional && inForm === undefined,
  )
  return {
    path: `src/test/browser/${resources.file}.test.ts`,
    text: fillTemplate('scaffold/browser.test.ts', {
      title: resources.name.title,
      words: resources.name.words,
      ...pathValues(names),
      factories: [...new Set(factories)].join('\n'),
      picture: fields.some(isAttachment) ? picture : '',
      records: fields.flatMap(browserRecords).join('\n'),
      steps: fields.flatMap(browserSteps).join('\n'),
      repeatedSteps: repeated.flatMap(browserSteps).join('\n'),
      addText: view!['add']!,
      emptyText: view!['empty']!,
      createdText: flash!['created']!,
      updatedText: flash!['updated']!,
      deletedText: flash!['deleted']!,
    }),
  }
}

const isWritten = ({ inForm, isOptional }: Field): boolean => inForm !== 'none' && !isOptional

/** Returns the statements that create the records for a select. */
const browserRecords = (field: Field): string[] =>
  isTitled(field) && isWritten(field)
    ? [`const ${field.name.camel} = await create${field.references.pascal}()`]
    : []

/** Returns the statements that enter the sample value of a field. */
function browserSteps(field: Field): string[] {
  const { name, type, references, isOptional, inForm } = field
  if (inForm === 'none' || (type.sample === '' && isOptional && !isAttachment(field))) return []
  const input = (part = '') => `await page.locator('[name=${name.camel}${part}]')`
  if (isTitled(field))
    return isWritten(field) ? [`${input()}.selectOption(String(${name.camel}))`] : []
  if (isAttachment(field))
    return [`await page.locator('[name=${attachmentName(field)}]').setInputFiles(picture)`]
  if (references !== undefined)
    return isOptional ? [] : [`${input()}.fill(String(await create${references.pascal}()))`]
  if (type.input === 'select') return [`${input()}.selectOption(${quote(type.sample)})`]
  if (type.input === 'checkbox') return [`${input()}.check()`]
  if (type.input !== 'datetime') return [`${input()}.fill(${quote(type.sample)})`]
  const [date = '', time = ''] = type.sample.split(' ')
  return [`${input('Date')}.fill(${quote(date)})`, `${input('Time')}.fill(${quote(time)})`]
}
