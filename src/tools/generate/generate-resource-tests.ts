/** Generates the tests of a resource: its pages or API, its CSRF protection, and its pages in a browser. */
import { toSnakeCase } from '../../runtime/params.ts'
import { defaultUserFile } from './default-user.ts'
import { attachmentName, isAttachment } from './attachments.ts'
import { findTitleField, type Field } from './field.ts'
import { fillFile, fillTemplate, type TemplateValues } from './fill-template.ts'
import { formatLines, importFactory, importModel, quote } from './format-code.ts'
import { factoryImports } from './generate-model.ts'
import type { Resource } from './generate-resource-controller.ts'
import { listQueries, listTestValues } from './list-fields.ts'
import type { OwnerScope } from './owner-scope.ts'
import type { GeneratedFile } from './project.ts'
import { isSearched, isTitled } from './relation-parts.ts'
import { resourceTexts, type TestedTexts } from './resource-messages.ts'
import { messageKey, plainKey, type ParentNames, type ResourceNames } from './resource-names.ts'

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
  const others = listImports(tested)
  const values = testValues(tested, texts, [...others, importFactory(resource)])
  const hasInvalid = findInvalidInput(fields) !== undefined
  const fill = (file: string, name: string, prefix = ''): GeneratedFile =>
    fillFile(file, `scaffold/${name}.ts`, {
      ...values,
      visitor: visitorHook(tested, values),
      ...listTestValues(fields, values),
      invalidTest: hasInvalid ? fillTemplate(`scaffold/${prefix}invalid.ts`, values) : '',
      optionTest: kind === 'pages' ? optionTest(fields, values) : '',
      nestedTests: nestedTests(tested, `scaffold/${prefix}nested.ts`, values),
      scopeTest: scopeTest(tested, values),
      modelImport: scopeImports(tested).join('\n'),
    })
  const form = generateForm(tested)
  if (kind === 'api') return [form, fill(path, 'api.test', 'api-')]
  return [
    form,
    fill(path, 'controller.test'),
    fill(`src/test/integration/${resources.file}.test.ts`, 'integration.test'),
    fillFile(`src/test/browser/${resources.file}.test.ts`, 'scaffold/browser.test.ts', {
      ...values,
      ...browserValues(tested, texts),
      factories: sortLines(
        listInputs(tested).every(isAttachment)
          ? others.filter((line) => line !== importForm(tested))
          : others,
      ),
    }),
  ]
}

/** Returns the imports of all test files with records, except the factory of the resource's own model. */
const listImports = (tested: Resource): readonly string[] => {
  const { parent } = tested.names.resources
  return [
    ...(parent === undefined ? [] : [importFactory(parent.resource)]),
    ...userImports(tested),
    importForm(tested),
  ]
}

const sortLines = (lines: readonly string[]): string => [...new Set(lines)].sort().join('\n')

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
    factories: sortLines(factories),
    form: callForm(tested),
    spreadForm: isFormAsync(tested) ? `(${callForm(tested)})` : callForm(tested),
    titleCheck: titleCheck(fields),
    idPattern: key.pattern,
    idMember: toSnakeCase(key.field),
    idInPath: key.isPlain ? 'id' : 'encodeURIComponent(id)',
    unknownIds: key.unknown.map(quote).join(', '),
    invalidField: invalid?.name ?? '',
    invalidValue: invalid?.value ?? '',
  }
}

/** Imports what `as` of a visitor takes: the model of users and its factory, or the default user. */
const userImports = ({ scope }: Resource): string[] =>
  scope === undefined ? [importDefaultUser] : [importModel(scope.user), importFactory(scope.user)]

/** Returns the owner of the records of the user who is logged in, as code. */
const ownerKey = ({ user, userField }: OwnerScope): string => `${user.camel}.${userField}`

/** Returns the further imports of tests of records with owners: the model, and the factory of the owner unless it is the user. */
const scopeImports = ({ names, scope }: Resource): string[] =>
  scope === undefined
    ? []
    : [
        importModel(names.resource),
        ...(scope.user.snake === scope.model.snake ? [] : [importFactory(scope.model)]),
      ]

const importDefaultUser = "import { defaultUser } from '#test/default-user'"

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
function ownerValues({ names, scope }: Resource): TemplateValues {
  const Model = names.resource.name.pascal
  if (scope === undefined) return { allRows: Model, as: '' }
  return {
    Owner: scope.model.pascal,
    ownerWords: scope.model.words,
    ownerKey: ownerKey(scope),
    ownerOfUser:
      scope.userField === 'id'
        ? scope.model.words
        : `${scope.model.words} of the ${scope.user.words}`,
    allRows: `${Model}.unscoped`,
    as: `: ${scope.user.camel}`,
  }
}

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

/** The name of the function that returns valid inputs of the resource's form, such as `memberForm`. */
const formName = ({ names }: Resource): string => `${messageKey(names)}Form`

const importForm = (tested: Resource): string =>
  `import { ${formName(tested)} } from '#test/form/${tested.names.resources.file}'`

const isRequiredReference = ({ references, inForm, isOptional }: Field): boolean =>
  references !== undefined && inForm !== 'none' && !isOptional

/** Whether the form creates the records that it references. */
const isFormAsync = ({ fields }: Resource): boolean => fields.some(isRequiredReference)

/** Returns the code of the inputs, in a test that has logged the owner in. */
function callForm(tested: Resource): string {
  const owner = needsOwner(tested) && tested.scope !== undefined ? ownerKey(tested.scope) : ''
  return `${isFormAsync(tested) ? 'await ' : ''}${formName(tested)}(${owner})`
}

/** Generates the file with the inputs of the form, which all tests of the resource use. */
function generateForm(tested: Resource): GeneratedFile {
  const { names, fields, scope } = tested
  const entries = listInputs(tested).map(({ name, type, references, isOwned }) => {
    const code =
      references === undefined
        ? quote(type.sample)
        : `await create${references.pascal}(${ownerOf(tested, isOwned)})`
    return `  ${name.camel}: ${code},`
  })
  const parameter = needsOwner(tested) ? `${scope?.field}: number` : ''
  const head = `export const ${formName(tested)} = ${isFormAsync(tested) ? 'async ' : ''}(${parameter})`
  return fillFile(`src/test/form/${names.resources.file}.ts`, 'scaffold/form.ts', {
    words: names.resource.name.withArticle,
    imports: sortLines(factoryImports(fields.filter(isRequiredReference))),
    formFunction: `${head} => ({\n${entries.join('\n')}\n})`,
  })
}

/** Returns the fields whose inputs tests fill in: all except optional references and fields without a sample. */
const listInputs = ({ fields }: Resource): readonly Field[] =>
  fields.filter(
    ({ type, references, isOptional, inForm }) =>
      inForm !== 'none' && (!isOptional || (references === undefined && type.sample !== '')),
  )

/** Returns the fields of a record that must have the same owner. */
const ownerOf = ({ scope }: Resource, isOwned = false): string =>
  isOwned && scope !== undefined ? `{ ${scope.field} }` : ''

/** Finds an input that the validation rejects; `undefined` if every input is valid. */
function findInvalidInput(fields: readonly Field[]): { name: string; value: string } | undefined {
  const inputs = fields.filter((field) => field.inForm !== 'none' && !isAttachment(field))
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

interface Variable {
  readonly name: string
  readonly type: string
  readonly code: string
}

/** Returns the variables that each test needs: the user, the visitor, the parent and its path. */
function testVariables({ names, scope }: Resource) {
  const { parent, name } = names.resources
  const user = scope?.user
  const data: Variable[] = []
  if (user !== undefined) {
    const { camel, pascal } = user
    const code = `(await ${pascal}.findById(await create${pascal}()))!`
    data.push({ name: camel, type: pascal, code })
  }
  if (parent !== undefined) {
    const { param, key, resource, resources } = parent
    const code = `await create${resource.name.pascal}(${parentOwner(parent, ownedMembers(scope))})`
    const path = `\`${resources.path}/\${${encodeParam(parent)}}/${name.snake}\``
    data.push({ name: param, type: key.type, code }, { name: 'path', type: 'string', code: path })
  }
  const visitor = user?.camel ?? 'await defaultUser()'
  const type = 'ReturnType<typeof app.session>'
  const logIn = { name: 'visitor', type, code: `app.session().as(${visitor})` }
  return { data, all: [...data, logIn] }
}

const declare = ({ name, code }: Variable): string => `const ${name} = ${code}`

/** Generates the hook that assigns the variables before each test. The visitor opens the form, which has the CSRF token. */
function visitorHook(tested: Resource, { q, pathText }: TemplateValues): string {
  const { all } = testVariables(tested)
  const assignments = all.map(({ name, code }) => `${name} = ${code}`)
  const opening = tested.kind === 'pages' ? [`await visitor.get(${q}${pathText}/new${q})`] : []
  return fillTemplate('scaffold/parts/visitor.ts', {
    declarations: all.map(({ name, type }) => `let ${name}: ${type}`).join('\n'),
    preparation: [...assignments, ...opening].join('\n'),
  })
}

/** Returns the owner of a record as a member of the factory's argument. */
const ownedMembers = (scope: OwnerScope | undefined): readonly string[] =>
  scope === undefined ? [] : [`${scope.field}: ${ownerKey(scope)}`]

/** Returns the paths of the resource as code, and the variables that a test without the hook declares. */
function pathValues(tested: Resource): TemplateValues {
  const { parent, path } = tested.names.resources
  const { data, all } = testVariables(tested)
  const members = [...(parent === undefined ? [] : [parent.param]), ...ownedMembers(tested.scope)]
  const shared = {
    setup: all.map(declare).join('\n'),
    dataSetup: data.map(declare).join('\n'),
    ownerMembers: members.join(', '),
    owner: members.length === 0 ? '' : `{ ${members.join(', ')} }`,
  }
  const escapeSlashes = (text: string): string => text.replaceAll('/', '\\/')
  if (parent === undefined)
    return {
      ...shared,
      path: `'${path}'`,
      pathText: path,
      q: "'",
      pathPattern: escapeSlashes(path),
    }
  const { resources, key } = parent
  return {
    ...shared,
    path: 'path',
    pathText: '${path}',
    q: '`',
    pathPattern: escapeSlashes(
      `${resources.path}/${key.pattern}/${tested.names.resources.name.snake}`,
    ),
  }
}

/** Returns the fields of a parent that must have the same owner as its records. */
const parentOwner = ({ scopedBy }: ParentNames, owned: readonly string[]): string =>
  scopedBy === undefined ? '' : `{ ${owned.join()} }`

/** Generates tests that a nested resource contains only the records of its parent; empty without a parent. */
function nestedTests({ names, scope }: Resource, template: string, values: TemplateValues): string {
  const { parent, name } = names.resources
  if (parent === undefined) return ''
  const owned = ownedMembers(scope)
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
  const inputs = listInputs(tested)
  const plain = inputs.filter(isPlainText)
  const others = inputs.filter((field) => !isPlainText(field))
  // A form does not contain stored bytes, so the test must enter them again for an update.
  const repeated = plain.filter(
    ({ type, isOptional, inForm }) =>
      type.name === 'ByteArray' && !isOptional && inForm === undefined,
  )
  const user = scope === undefined ? ['const as = await defaultUser()'] : []
  return {
    picture: fields.some(isAttachment) ? picture : '',
    user: [testVariables(tested).data.map(declare).join('\n'), ...user].join('\n').trim(),
    inputs: inputs.every(isAttachment) ? '' : `const form = ${callForm(tested)}`,
    ...pageTexts(names, browserLanguage),
    saveText: quote(browserTexts.save!),
    editText: quote(browserTexts.edit!),
    deleteText: quote(browserTexts.delete!),
    steps: [
      ...fillTexts(plain.map(({ name }) => name.camel)),
      ...fields.filter(isAttachment).map(attachPicture),
      ...others.filter((field) => !isAttachment(field)).flatMap(browserSteps),
    ].join('\n'),
    repeatedSteps: repeated
      .map(({ name: { camel } }) => `await page.locator('[name=${camel}]').fill(form.${camel})`)
      .join('\n'),
  }
}

/** Whether a browser test can fill the input with the field's text unchanged. */
const isPlainText = ({ type, references }: Field): boolean =>
  references === undefined && !['select', 'checkbox', 'datetime'].includes(type.input)

/** Returns the statement that fills the inputs with the texts of the form. */
function fillTexts(names: readonly string[]): string[] {
  if (names.length < 2)
    return names.map((name) => `await page.locator('[name=${name}]').fill(form.${name})`)
  const quoted = names.map(quote)
  const line = `for (const name of [${quoted.join(', ')}] as const)`
  const head = line.length <= 94 ? line : `for (const name of [\n${formatLines(quoted)}] as const)`
  return [`${head}\n  await page.locator(\`[name=\${name}]\`).fill(form[name])`]
}

const attachPicture = (field: Field): string =>
  `await page.locator('[name=${attachmentName(field)}]').setInputFiles(picture)`

const isWritten = ({ inForm, isOptional }: Field): boolean => inForm !== 'none' && !isOptional

/** Returns the statements of a browser test that enter the value of a select, a checkbox, a date with time, or a reference. */
function browserSteps(field: Field): string[] {
  const { name, type, references, isOptional } = field
  const { camel } = name
  const input = (part = '') => `await page.locator('[name=${camel}${part}]')`
  const value = `form.${camel}`
  if (references !== undefined)
    return [`${input()}.${isTitled(field) ? 'selectOption' : 'fill'}(String(${value}))`]
  if (type.input === 'select' || (type.input === 'checkbox' && isOptional))
    return [`${input()}.selectOption(${value})`]
  if (type.input === 'checkbox') return [`${input()}.setChecked(${value} === 'true')`]
  const [date = '', time = ''] = type.sample.split(' ')
  return [`${input('Date')}.fill(${quote(date)})`, `${input('Time')}.fill(${quote(time)})`]
}
