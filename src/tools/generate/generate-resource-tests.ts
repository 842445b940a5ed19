/** Generates the tests of a resource: its pages or API, its CSRF protection, and its pages in a browser. */
import { toSnakeCase } from '../../runtime/params.ts'
import { defaultUserFile } from './default-user.ts'
import { attachmentName, isAttachment } from './attachments.ts'
import { findTitleField, type Field } from './field.ts'
import { fillFile, fillTemplate, type TemplateValues } from './fill-template.ts'
import { importFactory, importModel, quote } from './format-code.ts'
import type { Resource } from './generate-resource-controller.ts'
import { listQueries, listTests } from './list-fields.ts'
import type { GeneratedFile } from './project.ts'
import { isSearched, isTitled } from './relation-parts.ts'
import { resourceTexts, type TestedTexts } from './resource-messages.ts'
import { plainKey, type Name, type ParentNames, type ResourceNames } from './resource-names.ts'

/** Generates the tests, which look for texts of the pages. */
export function generateResourceTests(tested: Resource, texts: TestedTexts): GeneratedFile[] {
  const tests = listTestFiles(tested, texts)
  return tested.scope === undefined ? [defaultUserFile(), ...tests] : tests
}

function listTestFiles(tested: Resource, texts: TestedTexts): GeneratedFile[] {
  const { names, fields, kind, factories } = tested
  const path = `src/test/controller/${names.resources.file}-controller.test.ts`
  if (kind === 'reads')
    return [fillFile(path, 'scaffold/reads.test.ts', readOnlyValues(tested, texts))]
  if (factories === undefined)
    return [fillFile(path, 'scaffold/pages.test.ts', testValues(tested, texts, []))]
  const { resources, resource } = names
  const { parent } = resources
  const others = [
    ...factories,
    ...(parent === undefined ? [] : [importFactory(parent.resource)]),
    userImport(tested),
  ]
  const values = testValues(tested, texts, [...others, importFactory(resource)])
  const hasInvalid = findInvalidInput(fields) !== undefined
  const fill = (file: string, name: string, prefix = ''): GeneratedFile =>
    fillFile(file, `scaffold/${name}.ts`, {
      ...values,
      invalidTest: hasInvalid ? fillTemplate(`scaffold/${prefix}invalid.ts`, values) : '',
      optionTest: kind === 'pages' ? optionTest(fields, values) : '',
      listTests: listTests(fields, values),
      nestedTests: nestedTests(tested, `scaffold/${prefix}nested.ts`, values),
      scopeTest: scopeTest(tested, values),
      modelImport: tested.scope === undefined ? '' : importModel(resource),
    })
  if (kind === 'api') return [fill(path, 'api.test', 'api-')]
  return [
    fill(path, 'controller.test'),
    fill(`src/test/integration/${resources.file}.test.ts`, 'integration.test'),
    fillFile(`src/test/browser/${resources.file}.test.ts`, 'scaffold/browser.test.ts', {
      ...values,
      ...browserValues(tested, texts),
      factories: [...new Set(others)].join('\n'),
    }),
  ]
}

/** Returns the values of the test of a view's pages, whose rows tests cannot insert. */
function readOnlyValues(tested: Resource, texts: TestedTexts): TemplateValues {
  const values = testValues(tested, texts, [])
  const { idMember } = values
  const idBinding = idMember === 'id' ? 'id' : `${idMember}: id`
  return {
    ...values,
    listQueries: listQueries(tested.fields),
    showTest:
      tested.key === undefined
        ? ''
        : fillTemplate('scaffold/parts/show.ts', { ...values, idBinding }),
  }
}

function testValues(tested: Resource, texts: TestedTexts, factories: readonly string[]) {
  const { names, fields, key = plainKey } = tested
  const { resources, resource } = names
  const { title, words } = resources.name
  const invalid = findInvalidInput(fields)
  return {
    title,
    words,
    Model: resource.name.pascal,
    modelFile: resource.file,
    ...pathValues(tested),
    ...ownerValues(tested),
    ...pageTexts(names, texts.language),
    factories: [...new Set(factories)].sort().join('\n'),
    formFunction: formFunction(tested),
    titleCheck: titleCheck(fields),
    idPattern: key.pattern,
    idMember: toSnakeCase(key.field),
    idInPath: key.isPlain ? 'id' : 'encodeURIComponent(id)',
    unknownIds: key.unknown.map(quote).join(', '),
    invalidField: invalid?.name ?? '',
    invalidValue: invalid?.value ?? '',
  }
}

/** Imports what `as` of a visitor takes: the owner's model, or the default user. */
const userImport = ({ scope }: Resource): string =>
  scope === undefined ? importDefaultUser : importModel(scope.model)

const importDefaultUser = "import { defaultUser } from '#test/default-user'"
const logInDefault = 'const visitor = app.session().as(await defaultUser())'

/** Returns the texts of the resource's pages in a language, as string literals. */
function pageTexts(names: ResourceNames, language: string): TemplateValues {
  const { flash, view } = resourceTexts(names, language)
  return {
    emptyText: quote(view.empty!),
    addText: quote(view.add!),
    reallyText: quote(view.really!),
    createdText: quote(flash.created!),
    updatedText: quote(flash.updated!),
    deletedText: quote(flash.deleted!),
  }
}

/** Whether the form contains the key of a record that must have the same owner. */
const needsOwner = ({ fields, scope }: Resource): boolean =>
  scope !== undefined &&
  fields.some(({ isOwned, isOptional, inForm }) => isOwned && !isOptional && inForm !== 'none')

/** Returns the values for tests of records with owners, in which each test logs an owner in, and of others. */
function ownerValues(tested: Resource): TemplateValues {
  const { names, scope } = tested
  const Model = names.resource.name.pascal
  if (scope === undefined)
    return {
      allRows: Model,
      formArgument: '',
      logIn: '',
      logInHere: logInDefault,
      as: ', as',
      tokenFunction: fillTemplate('scaffold/parts/token.ts', pathValues(tested)).trimEnd(),
      tokenVisitor: `const visitor = await visitorWithToken(${pathValues(tested)['pathArgument']})`,
    }
  const { model } = scope
  const values = nameOwner(model)
  return {
    ...values,
    allRows: `${Model}.unscoped`,
    formArgument: needsOwner(tested) ? `${model.camel}.id` : '',
    logIn: fillTemplate('scaffold/parts/log-in.ts', values).trimEnd(),
    logInHere: 'const { visitor } = await logIn()',
    as: `, as: ${model.camel}`,
    tokenFunction: '',
    tokenVisitor: '',
  }
}

const nameOwner = ({ camel, pascal, words, withArticle }: Name): TemplateValues => ({
  ownerName: camel,
  Owner: pascal,
  ownerWords: words,
  ownerWithArticle: withArticle,
})

/** Generates the tests that a visitor reaches only their own records; empty without owners. */
function scopeTest({ scope, kind }: Resource, values: TemplateValues): string {
  if (scope === undefined) return ''
  const isPages = kind === 'pages'
  return fillTemplate('scaffold/parts/scope.ts', {
    ...values,
    formats: isPages ? 'HTML, JSON and XML' : 'JSON and XML',
    suffixes: isPages ? `'', '.json', '.xml'` : `'.json', '.xml'`,
    listSuffixes: isPages ? `'', '/new', '.json', '.xml'` : `'', '.json', '.xml'`,
    moreRequests: isPages
      ? "['GET', `${recordPath}/edit`],\n['POST', `${recordPath}?_method=DELETE`],"
      : '',
    listCheck: isPages
      ? `assert.equal((await visitor.get(${values['path']})).all('tbody tr').length, 0)`
      : '',
    ownerField: scope.field,
    ownerMember: toSnakeCase(scope.field),
  })
}

/** Generates the function `form()`, which returns valid inputs. */
function formFunction(tested: Resource): string {
  const { fields, scope } = tested
  const entries = fields.flatMap(({ name, type, references, isOptional, inForm, isOwned }) => {
    if (inForm === 'none') return []
    if (references !== undefined)
      return isOptional
        ? []
        : [`  ${name.camel}: await create${references.pascal}(${ownerOf(tested, isOwned)}),`]
    const hasSample = type.sample !== '' || !isOptional
    return hasSample ? [`  ${name.camel}: ${quote(type.sample)},`] : []
  })
  const parameter = needsOwner(tested) ? `${scope?.field}: number` : ''
  return `const form = async (${parameter}) => ({\n${entries.join('\n')}\n})`
}

/** Returns the fields of a record that must have the same owner. */
const ownerOf = ({ scope }: Resource, isOwned = false, id = ''): string =>
  isOwned && scope !== undefined ? `{ ${scope.field}${id} }` : ''

/** Finds an input that the validation rejects; `undefined` if every input is valid. */
function findInvalidInput(fields: readonly Field[]): { name: string; value: string } | undefined {
  const inputs = fields.filter(({ inForm }) => inForm !== 'none')
  const required = inputs.find(
    ({ isOptional, type }) => !isOptional && type.input !== 'checkbox' && type.input !== 'list',
  )
  if (required !== undefined) return { name: required.name.camel, value: '' }
  const field = inputs.find(({ type }) => type.invalidSample !== undefined && type.name !== 'Json')
  return field && { name: field.name.camel, value: field.type.invalidSample! }
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
function pathValues({ names, scope }: Resource): TemplateValues {
  const { parent, path, name } = names.resources
  const logIn =
    scope === undefined ? logInDefault : `const { ${scope.model.camel}, visitor } = await logIn()`
  // The tests of a browser and of the CSRF token have visitors of their own.
  const needed = scope === undefined ? [] : [logIn]
  const owned = scope === undefined ? [] : [`${scope.field}: ${scope.model.camel}.id`]
  const escapeSlashes = (text: string): string => text.replaceAll('/', '\\/')
  if (parent === undefined)
    return {
      setup: logIn,
      dataSetup: needed.join('\n'),
      owner: owned.length === 0 ? '' : `{ ${owned.join()} }`,
      path: `'${path}'`,
      pathText: path,
      q: "'",
      pathPattern: escapeSlashes(path),
      pathParameter: '',
      pathArgument: '',
    }
  const { param, key, resource, resources } = parent
  const parentLines = [
    `const ${param} = await create${resource.name.pascal}(${parentOwner(parent, owned)})`,
    `const path = \`${resources.path}/\${${encodeParam(parent)}}/${name.snake}\``,
  ]
  return {
    setup: [logIn, ...parentLines].join('\n'),
    dataSetup: [...needed, ...parentLines].join('\n'),
    owner: `{ ${[param, ...owned].join(', ')} }`,
    path: 'path',
    pathText: '${path}',
    q: '`',
    pathPattern: escapeSlashes(`${resources.path}/${key.pattern}/${name.snake}`),
    pathParameter: 'path: string',
    pathArgument: 'path',
  }
}

/** Returns the fields of a parent that must have the same owner as its records. */
const parentOwner = ({ scopedBy }: ParentNames, owned: readonly string[]): string =>
  scopedBy === undefined ? '' : `{ ${owned.join()} }`

/** Generates tests that a nested resource contains only the records of its parent; empty without a parent. */
function nestedTests({ names, scope }: Resource, template: string, values: TemplateValues): string {
  const { parent, name } = names.resources
  if (parent === undefined) return ''
  const owned = scope === undefined ? [] : [`${scope.field}: ${scope.model.camel}.id`]
  const ownerOfParent = parentOwner(parent, owned)
  const { resource, resources, param, key, hasPages } = parent
  const link = `${resources.path}/\${${encodeParam(parent)}}`
  return fillTemplate(template, {
    ...values,
    Parent: resource.name.pascal,
    parentWords: resource.name.words,
    param,
    parentOwner: ownerOfParent,
    otherOwner: `{ ${[`${param}: await create${resource.name.pascal}(${ownerOfParent})`, ...owned].join(', ')} }`,
    paramMember: toSnakeCase(param),
    missingPath: `${resources.path}/${key.unknown[0]}/${name.snake}`,
    linkCheck: hasPages ? `assert.equal(list.all(\`a[href="${link}"]\`).length, 1)` : '',
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

function browserValues(tested: Resource, texts: TestedTexts): TemplateValues {
  const { names, fields, scope } = tested
  const { browserTexts, browserLanguage } = texts
  const user = scope === undefined ? ['const as = await defaultUser()'] : []
  const owner = scope === undefined ? '' : `: ${scope.model.camel}.id`
  // A form does not contain stored bytes, so the test must enter them again for an update.
  const repeated = fields.filter(
    ({ type, isOptional, inForm }) =>
      type.name === 'ByteArray' && !isOptional && inForm === undefined,
  )
  return {
    picture: fields.some(isAttachment) ? picture : '',
    records: [
      ...user,
      ...fields
        .filter(isTitled)
        .filter(isWritten)
        .map(
          ({ name, references, isOwned }) =>
            `const ${name.camel} = await create${references.pascal}(${ownerOf(tested, isOwned, owner)})`,
        ),
    ].join('\n'),
    ...pageTexts(names, browserLanguage),
    saveText: quote(browserTexts.save!),
    editText: quote(browserTexts.edit!),
    deleteText: quote(browserTexts.delete!),
    steps: fields.flatMap(browserSteps).join('\n'),
    repeatedSteps: repeated.flatMap(browserSteps).join('\n'),
  }
}

const isWritten = ({ inForm, isOptional }: Field): boolean => inForm !== 'none' && !isOptional

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
  if (type.input === 'checkbox')
    return [isOptional ? `${input()}.selectOption('true')` : `${input()}.check()`]
  if (type.input !== 'datetime') return [`${input()}.fill(${quote(type.sample)})`]
  const [date = '', time = ''] = type.sample.split(' ')
  return [`${input('Date')}.fill(${quote(date)})`, `${input('Time')}.fill(${quote(time)})`]
}
