/** Generates the controller of a resource: its permitted fields and their validation. */
import { attachmentName, isAttachment } from './attachments.ts'
import type { Field } from './field.ts'
import { fillTemplate, sharedFile } from './fill-template.ts'
import {
  formatCall,
  formatImport,
  formatLines,
  formatMembers,
  formatObject,
  importModel,
  present,
  quote,
} from './format-code.ts'
import { permittedDeclarations } from './generate-model.ts'
import type { OwnerScope } from './owner-scope.ts'
import { chooseListFields, pageByKeyOption } from './list-fields.ts'
import type { GeneratedFile } from './project.ts'
import { relationParts } from './relation-parts.ts'
import {
  messageKey,
  type Name,
  type QualifiedName,
  type ResourceKey,
  type ResourceNames,
} from './resource-names.ts'

export interface Resource {
  readonly names: ResourceNames
  readonly fields: readonly Field[]
  /** The key of the records; without a key, the resource has only a list. */
  readonly key: ResourceKey | undefined
  /** `pages` has HTML, JSON and XML; `api` has JSON and XML; `reads` is `pages` without writes. */
  readonly kind: 'pages' | 'api' | 'reads'
  /** False for a resource without the views of a scaffold. */
  readonly hasViews: boolean
  /** The imports of the factories that create the rows a new row references; `undefined` if tests cannot insert rows. */
  readonly factories: readonly string[] | undefined
  /** The owner of the records, if a visitor reaches only their own. */
  readonly scope?: OwnerScope | undefined
}

/** Returns the relative path from a controller's file to the folder of controllers. */
export const pathToControllers = ({ namespace }: QualifiedName): string =>
  namespace.length === 0 ? './' : '../'.repeat(namespace.length)

export function generateResourceController(described: Resource): GeneratedFile {
  const { names, fields: allFields, key, kind, scope } = described
  const { resources, resource } = names
  const { parent } = resources
  const isPages = kind !== 'api'
  const isReadOnly = kind === 'reads'
  const fields = allFields.filter(({ inForm }) => inForm !== 'none')
  const updatable = fields.filter(({ inForm }) => inForm !== 'create')
  const rules = fields.flatMap(fieldRules)
  const hasTwoForms =
    updatable.length < fields.length ||
    fields.some((field) => field.defaultText !== undefined && needsValue(field))
  const form = formMethods(fields, hasTwoForms)
  const relations = relationParts(resource, isPages ? allFields : [], scope)
  const uploads = fields.filter(isAttachment).map(attachmentName)
  const order = key === undefined ? chooseListFields(allFields).sort[0] : undefined
  const methods = [
    ...(order === undefined ? [] : [orderMethod(resource.name, order)]),
    ...uploadMembers(uploads),
    ...paramsMethods(fields),
    ...form.methods,
    ...relations.methods,
  ]
  const trait = isPages ? 'FwResource' : 'FwApiResource'
  const mount = isPages ? 'resource' : 'apiResource'
  const Base = isPages ? 'ApplicationController' : 'ApiController'
  const hasUploads = uploads.length > 0
  const needsLogin = scope !== undefined && isPages
  const traits = present([needsLogin && 'requireLogin', hasUploads && 'FileUploadFeature'])
  const imports = present([
    trait,
    !isReadOnly && 'ParamType',
    mount,
    hasUploads && 'FileUploadFeature',
    traits.length > 0 && 'mix',
    ...rules.map((rule) => rule.replace(/\(.*/s, '')),
    rules.length > 0 && 'paramKey',
  ])
  return {
    path: `src/main/controller/${resources.file}-controller.ts`,
    text: fillTemplate('scaffold/controller.ts', {
      title: `${resources.name.title}${parent === undefined ? '' : ` of ${parent.resource.name.withArticle}`}`,
      actions: isReadOnly
        ? `list${key === undefined ? '' : ' and show'}`
        : 'list, show, create, update and delete',
      formats: isPages ? 'pages, JSON and XML' : 'JSON and XML',
      imports:
        formatImport(imports, 'fwjs') +
        (order === undefined ? '' : "\nimport type { KeyPageRequest } from 'fwjs/model'"),
      parentImport: parent === undefined ? '' : importModel(parent.resource),
      modelImport: importModel(resource),
      relationImports: [
        ...(hasUploads ? [`import { storeUploads, withUploads } from '#model/attachment'`] : []),
        ...relations.imports,
        ...(needsLogin ? [`import { requireLogin } from '#controller/require-login'`] : []),
      ].join('\n'),
      include: relations.option,
      Model: resource.name.pascal,
      Resource: trait,
      Base,
      base: traits.length > 0 ? `mix(${[Base, ...traits].join(', ')})` : Base,
      scope: scope === undefined ? '' : `scope: (c) => c.currentUser.${scope.userField},`,
      basePath: `${pathToControllers(resources)}${isPages ? 'application' : 'api'}-controller.ts`,
      Controller: `${resources.pascal}Controller`,
      resourcesName: resources.name.snake,
      resourceName: resource.name.camel,
      pathOptions: pathOptions(names),
      strongParameters: isReadOnly ? '' : strongParameters('create', resource.name, fields),
      rules: form.sharedRules,
      updateOptions:
        updatable.length < fields.length
          ? strongParameters('update', resource.name, updatable)
          : '',
      pageByKey: pageByKeyOption(allFields),
      body: methods.length === 0 ? '{}' : `{\n${methods.join('\n\n')}\n}`,
      key: resources.camel,
      mount,
    }),
  }
}

/** Returns a method that sorts the list of a resource without a key. */
const orderMethod = (model: Name, { name }: Field): string =>
  method(
    'findPageByKey(request: KeyPageRequest)',
    `return ${model.pascal}.query().orderBy('${name.camel}').paginate(request)`,
  )

export const generateApiController = (): GeneratedFile =>
  sharedFile('src/main/controller/api-controller.ts', 'scaffold/api-controller.ts')

/** Returns the options of a resource in a namespace or inside a parent. */
function pathOptions(names: ResourceNames): string {
  const { parent, prefix } = names.resources
  if (prefix === '') return ''
  const options = formatMembers({
    resourcesBasePathPrefix: `'${prefix}'`,
    parent: parent && `{ model: ${parent.resource.name.pascal}, field: '${parent.param}' }`,
    messageResourceName: `'${messageKey(names)}'`,
  })
  return `${options.join(',\n')},`
}

const strongParameters = (form: string, model: Name, fields: readonly Field[]): string =>
  `${form}FormStrongParameters: {\n${permittedDeclarations(model, fields).replace(/^/gm, '  ')}\n},`

/** Whether the form must send a value. An unticked checkbox sends nothing, and a list may be empty. */
const needsValue = ({ type }: Field): boolean => type.input !== 'checkbox' && type.input !== 'list'

const fieldRules = (field: Field): string[] =>
  present([
    !field.isOptional && needsValue(field) && 'required',
    ...field.type.rules,
    field.maxLength !== undefined && `maxLength(${field.maxLength})`,
  ])

/** Returns the filter that stores uploads before an action writes a record, and the member that contains their keys. */
const uploadMembers = (names: readonly string[]): string[] =>
  names.length === 0
    ? []
    : [
        `  static {
    this.beforeAction(
      { only: ['create', 'update', 'createApi', 'updateApi'] },
      async (controller) => {
        controller.uploads = await storeUploads(controller, ${names.map(quote).join(', ')})
        for (const [field, key] of controller.uploads) controller.view.addParam(field, key)
      },
    )
  }`,
        `  /** The keys of the attachments that the request uploads. */
  private uploads: ReadonlyMap<string, string> = new Map()`,
      ]

const method = (head: string, body: string): string => `  override ${head} {\n    ${body}\n  }`

/** Formats a chain of calls such as `return super.createParams().withDate('birthday')`, on one line if it fits. */
function formatChain(head: string, start: string, calls: readonly string[]): string {
  const line = `${head} ${start}${calls.join('')}`
  if (line.length <= 96) return line
  const [first, ...rest] = start.split('.')
  const parts = [...rest.map((part) => `.${part}`), ...calls]
  return `${head} ${first}\n${parts.map((part) => `      ${part}`).join('\n')}`
}

function withDefaults(fields: readonly Field[]): string {
  const entries = fields.map(({ name, type, defaultText = '' }) => {
    return `${name.camel}: ${type.facet.isLiteral === true ? defaultText : quote(defaultText)}`
  })
  // The columns before the object are those of `return this.updateParams().withDefaults(` with a margin.
  return `.withDefaults(${formatObject(entries, 52).replaceAll('\n', '\n    ')})`
}

/** Returns the methods that convert form inputs to parameters and add the columns' defaults. */
function paramsMethods(fields: readonly Field[]): string[] {
  const calls = fields.flatMap(({ name, type }) =>
    type.paramsMethod === undefined ? [] : [`.${type.paramsMethod}('${name.camel}')`],
  )
  const defaulted = fields.filter(({ defaultText }) => defaultText !== undefined)
  const inputs = defaulted.filter(needsValue)
  // A request without the checkbox means false, so only the form of a new record gets its default.
  const checkboxes = defaulted.filter((field) => !needsValue(field))
  const hasUploads = fields.some(isAttachment)
  const joined = hasUploads
    ? `${formatChain('const params =', 'super.createParams()', calls)}\n    return withUploads(params, this.uploads)`
    : formatChain('return', 'super.createParams()', calls)
  const methods: string[] = []
  if (inputs.length > 0)
    methods.push(
      method('createParams()', `return this.updateParams()${withDefaults(inputs)}`),
      method('updateParams()', joined),
    )
  else if (calls.length > 0 || hasUploads) methods.push(method('createParams()', joined))
  if (defaulted.length > 0) {
    const params = `this.createParams()${checkboxes.length === 0 ? '' : withDefaults(checkboxes)}`
    methods.push(
      method('newResource()', `this.set('params', ${params})\n    return super.newResource()`),
    )
  }
  return methods
}

const formatRules = (fields: readonly Field[], indent: number): string[] =>
  fields
    .map((field) => ({ field, rules: fieldRules(field) }))
    .filter(({ rules }) => rules.length > 0)
    .map(({ field, rules }) => formatCall(`paramKey('${field.name.camel}').is`, rules, indent))

function formMethod(name: 'create' | 'update', rules: readonly string[]): string {
  const tail = '.withPrefix'
  // Reserve space for `.withPrefix(` on the same line, because the formatter breaks the last call of a chain first.
  const call = formatCall(
    'return this.validation',
    [`this.${name}Params()`, ...rules],
    4 + tail.length + 1,
  )
  const indent = 4 + (call.includes('\n') ? 1 : call.length)
  const prefix = formatCall(tail, ['this.messageResourceName'], indent)
  return method(`${name}Form()`, (call + prefix).replaceAll('\n', '\n    '))
}

/** Returns the method for one form, or for two forms with the rules that both share. */
function formMethods(fields: readonly Field[], hasTwoForms: boolean) {
  const all = formatRules(fields, 6)
  if (all.length === 0) return { sharedRules: '', methods: [] }
  if (!hasTwoForms) return { sharedRules: '', methods: [formMethod('create', all)] }
  const isCreateOnly = ({ inForm }: Field): boolean => inForm === 'create'
  const shared = formatRules(
    fields.filter((field) => !isCreateOnly(field)),
    2,
  )
  const spread = shared.length === 0 ? [] : ['...rules']
  return {
    sharedRules: formatSharedRules(shared),
    methods: [
      formMethod('create', [...formatRules(fields.filter(isCreateOnly), 6), ...spread]),
      formMethod('update', spread),
    ],
  }
}

function formatSharedRules(rules: readonly string[]): string {
  if (rules.length === 0) return ''
  const line = `\nconst rules = [${rules.join(', ')}]`
  if (rules.length === 1 && line.length <= 101) return line
  return `\nconst rules = [\n${formatLines(rules)}]`
}
