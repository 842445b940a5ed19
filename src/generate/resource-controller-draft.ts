/** The controller of a resource: permitted fields and their rules. */
import { callText, importLine } from './code-text.ts'
import type { Draft } from './draft.ts'
import type { Field } from './field.ts'
import { fillTemplate } from './fill-template.ts'
import { typedFields } from './model-drafts.ts'
import type { PlacedName, ResourceNames } from './resource-names.ts'

/** With pages, or for programs alone. */
export type ResourceKind = 'pages' | 'api'

/** The path from a controller's file to another one in the folder of controllers. */
export const toControllers = ({ namespace }: PlacedName): string =>
  namespace.length === 0 ? './' : '../'.repeat(namespace.length)

function rulesOf({ type, isOptional, maxLength }: Field): string[] {
  const presence = isOptional || type.input === 'checkbox' ? [] : ['required']
  const length = maxLength === undefined ? [] : [`maxLength(${maxLength})`]
  return [...presence, ...type.rules, ...length]
}

function paramsMethod(fields: readonly Field[]): string[] {
  const calls = fields.flatMap(({ name, type }) =>
    type.gather === undefined ? [] : [`.${type.gather}('${name.camel}')`],
  )
  if (calls.length === 0) return []
  const line = `    return super.createParams()${calls.join('')}`
  const broken = ['.createParams()', ...calls].map((call) => `      ${call}`).join('\n')
  const body = line.length <= 100 ? line : `    return super\n${broken}`
  return [`  override createParams() {\n${body}\n  }`]
}

function formMethod(rules: readonly (readonly [string, readonly string[]])[]): string[] {
  if (rules.length === 0) return []
  const lines = rules.map(([key, chain]) => callText(`paramKey('${key}').is`, chain, 6))
  const args = ['this.messageResourceName', 'this.createParams()', ...lines]
  const call = callText('return this.validationWithPrefix', args, 4).replaceAll('\n', '\n    ')
  return [`  override createForm() {\n    ${call}\n  }`]
}

/** Below `resource(…)`, or `apiResource(…)` for programs. */
export function resourceControllerDraft(
  { resources, resource }: ResourceNames,
  fields: readonly Field[],
  kind: ResourceKind,
): Draft {
  const rules = fields
    .map((field) => [field.name.camel, rulesOf(field)] as const)
    .filter(([, chain]) => chain.length > 0)
  const mount = kind === 'pages' ? 'resource' : 'apiResource'
  const used = rules.flatMap(([, chain]) => chain.map((rule) => rule.replace(/\(.*/, '')))
  const methods = [...paramsMethod(fields), ...formMethod(rules)]
  const prefix =
    resources.prefix === ''
      ? ''
      : `resourcesBasePathPrefix: '${resources.prefix}',\nmessageResourceName: '${resource.camel}',`
  const base = kind === 'pages' ? 'ApplicationController' : 'ApiController'
  const names = ['FwResource', 'ParamType', mount, ...used]
  return {
    path: `src/main/controller/${resources.file}-controller.ts`,
    text: fillTemplate('scaffold/controller.ts', {
      title: resources.name.title,
      formats: kind === 'pages' ? 'pages, JSON and XML' : 'JSON and XML',
      imports: importLine(rules.length > 0 ? [...names, 'paramKey'] : names, 'fwjs'),
      Model: resource.name.upper,
      modelFile: resource.file,
      Base: base,
      basePath: `${toControllers(resources)}${base === 'ApiController' ? 'api' : 'application'}-controller.ts`,
      Controller: `${resources.name.upper}Controller`,
      resourcesName: resources.name.snake,
      resourceName: resource.name.camel,
      prefixOptions: prefix,
      permitted: typedFields(fields),
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
