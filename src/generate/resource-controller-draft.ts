/** The controller of a resource: permitted fields and their rules. */
import { callText, importLine, quoted } from './code-text.ts'
import type { Draft } from './draft.ts'
import type { Field } from './field.ts'
import { fillTemplate } from './fill-template.ts'
import { typedFields } from './model-drafts.ts'
import { textsOf, type PlacedName, type ResourceNames } from './resource-names.ts'

/** With pages, or for programs alone. */
export type ResourceKind = 'pages' | 'api'

/** The path from a controller's file to another one in the folder of controllers. */
export const toControllers = ({ namespace }: PlacedName): string =>
  namespace.length === 0 ? './' : '../'.repeat(namespace.length)

const isAsked = ({ type }: Field): boolean => type.input !== 'checkbox' && type.input !== 'list'

function rulesOf(field: Field): string[] {
  const { type, isOptional, maxLength } = field
  const presence = !isOptional && isAsked(field) ? ['required'] : []
  const length = maxLength === undefined ? [] : [`maxLength(${maxLength})`]
  return [...presence, ...type.rules, ...length]
}

const modelImport = ({ name, file }: PlacedName): string =>
  `import { ${name.upper} } from '#model/${file}'`

const method = (head: string, body: string): string => `  override ${head} {\n    ${body}\n  }`

/** `super.createParams().withDate('birthday')`, on one line where it fits. */
function chain(start: string, calls: readonly string[]): string {
  const line = `return ${start}${calls.join('')}`
  if (line.length <= 96) return line
  const [first, ...rest] = start.split('.')
  const parts = [...rest.map((part) => `.${part}`), ...calls]
  return `return ${first}\n${parts.map((part) => `      ${part}`).join('\n')}`
}

function defaultsCall(fields: readonly Field[]): string {
  const entries = fields.map(
    ({ name, type, fallback }) => `${name.camel}: ${defaultCode(type.name, fallback!)}`,
  )
  const line = `.withDefaults({ ${entries.join(', ')} })`
  if (line.length <= 60) return line
  return `.withDefaults({\n${entries.map((entry) => `      ${entry},\n`).join('')}    })`
}

const defaultCode = (type: string, value: string): string =>
  /^(?:Boolean|Short|Int|Long|Float|Double)$/.test(type) ? value : quoted(value)

/** How the inputs become parameters; what a table's defaults say stands where nothing was sent. */
function paramsMethods(fields: readonly Field[]): string[] {
  const calls = fields.flatMap(({ name, type }) =>
    type.gather === undefined ? [] : [`.${type.gather}('${name.camel}')`],
  )
  const given = fields.filter(({ fallback }) => fallback !== undefined)
  // An unticked checkbox sends nothing, so its default is only what the form begins with.
  const [ticks, others] = [given.filter((field) => !isAsked(field)), given.filter(isAsked)]
  const methods: string[] = []
  if (others.length > 0) {
    methods.push(
      method('createParams()', `return this.updateParams()${defaultsCall(others)}`),
      method('updateParams()', chain('super.createParams()', calls)),
    )
  } else if (calls.length > 0)
    methods.push(method('createParams()', chain('super.createParams()', calls)))
  if (given.length === 0) return methods
  const start = `this.set('params', this.createParams()${ticks.length === 0 ? '' : defaultsCall(ticks)})`
  return [...methods, method('newResource()', `${start}\n    return super.newResource()`)]
}

type Chains = readonly (readonly [field: Field, chain: readonly string[]])[]

const keyRules = (chains: Chains, indent: number): string[] =>
  chains.map(([{ name }, rules]) => callText(`paramKey('${name.camel}').is`, rules, indent))

function formText(params: string, args: readonly string[]): string {
  const all = ['this.messageResourceName', `this.${params}()`, ...args]
  return callText('return this.validationWithPrefix', all, 4).replaceAll('\n', '\n    ')
}

/** One form, or two of which the second asks for less: `rules` are those of both. */
function formMethods(chains: Chains, isForked: boolean): { rules: string; methods: string[] } {
  if (chains.length === 0) return { rules: '', methods: [] }
  if (!isForked) {
    const form = formText('createParams', keyRules(chains, 6))
    return { rules: '', methods: [method('createForm()', form)] }
  }
  const first = chains.filter(([{ inForm }]) => inForm === 'create')
  const both = keyRules(
    chains.filter(([{ inForm }]) => inForm !== 'create'),
    2,
  )
  const line = `\nconst rules = [${both.join(', ')}]`
  const rules =
    both.length === 1 && line.length <= 101
      ? line
      : `\nconst rules = [\n${both.map((rule) => `  ${rule.replaceAll('\n', '\n  ')},\n`).join('')}]`
  return {
    rules: both.length === 0 ? '' : rules,
    methods: [
      method(
        'createForm()',
        formText('createParams', [
          ...keyRules(first, 6),
          ...(both.length === 0 ? [] : ['...rules']),
        ]),
      ),
      method('updateForm()', formText('updateParams', both.length === 0 ? [] : ['...rules'])),
    ],
  }
}

const updateOptions = (fields: readonly Field[]): string => {
  const types = typedFields(fields).replace(/^/gm, '  ')
  return `updateFormStrongParameters: {\n${types}\n},`
}

/** What a resource in a namespace or inside another one says of its place. */
function placeOptions(names: ResourceNames): string {
  const { parent, prefix } = names.resources
  if (prefix === '') return ''
  const options = [`resourcesBasePathPrefix: '${prefix}',`]
  if (parent !== undefined)
    options.push(`parent: { model: ${parent.resource.name.upper}, field: '${parent.param}' },`)
  return [...options, `messageResourceName: '${textsOf(names)}',`].join('\n')
}

/** Below `resource(…)`, or `apiResource(…)` for programs. */
export function resourceControllerDraft(
  names: ResourceNames,
  all: readonly Field[],
  kind: ResourceKind,
): Draft {
  const { resources, resource } = names
  const { parent } = resources
  const fields = all.filter(({ inForm }) => inForm !== 'none')
  const chains = fields
    .map((field) => [field, rulesOf(field)] as const)
    .filter(([, rules]) => rules.length > 0)
  const updated = fields.filter(({ inForm }) => inForm !== 'create')
  const isForked =
    updated.length < fields.length ||
    fields.some((field) => field.fallback !== undefined && isAsked(field))
  const form = formMethods(chains, isForked)
  const mount = kind === 'pages' ? 'resource' : 'apiResource'
  const used = chains.flatMap(([, rules]) => rules.map((rule) => rule.replace(/\(.*/s, '')))
  const methods = [...paramsMethods(fields), ...form.methods]
  const base = kind === 'pages' ? 'ApplicationController' : 'ApiController'
  const trait = kind === 'pages' ? 'FwResource' : 'FwApiResource'
  const permitted = typedFields(fields)
  const json = permitted.includes('json<') ? ['json'] : []
  const imported = [trait, 'ParamType', mount, ...used, ...json]
  return {
    path: `src/main/controller/${resources.file}-controller.ts`,
    text: fillTemplate('scaffold/controller.ts', {
      title:
        parent === undefined
          ? resources.name.title
          : `${resources.name.title} of ${parent.resource.name.one}`,
      formats: kind === 'pages' ? 'pages, JSON and XML' : 'JSON and XML',
      imports: importLine(chains.length > 0 ? [...imported, 'paramKey'] : imported, 'fwjs'),
      parentImport: parent === undefined ? '' : modelImport(parent.resource),
      Model: resource.name.upper,
      modelFile: resource.file,
      Resource: trait,
      Base: base,
      basePath: `${toControllers(resources)}${base === 'ApiController' ? 'api' : 'application'}-controller.ts`,
      Controller: `${resources.upper}Controller`,
      resourcesName: resources.name.snake,
      resourceName: resource.name.camel,
      prefixOptions: placeOptions(names),
      permitted,
      rules: form.rules,
      updateOptions: updated.length < fields.length ? updateOptions(updated) : '',
      body: methods.length === 0 ? '{}' : `{\n${methods.join('\n\n')}\n}`,
      key: resources.camel,
      mount,
    }),
  }
}

/** The base of controllers for programs, where there is none. */
export const apiControllerDraft = (): Draft => ({
  path: 'src/main/controller/api-controller.ts',
  text: fillTemplate('scaffold/api-controller.ts', {}),
  kind: 'shared',
})
