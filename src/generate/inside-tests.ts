/** What the tests of a resource inside another one have of their own: a parent for each, its path, whose records are whose. */
import { toSnakeCase } from '../params.ts'
import { fillTemplate, type TemplateValues } from './fill-template.ts'
import type { ParentNames, ResourceNames } from './resource-names.ts'

/** Values of every template of a test: where the resource is, and how a row of it is written. */
export function placeValues({ resources }: ResourceNames): TemplateValues {
  const { parent, path, name } = resources
  if (parent === undefined)
    return {
      begin: '',
      given: '',
      path: `'${path}'`,
      pathText: path,
      q: "'",
      pathPattern: path.replaceAll('/', '\\/'),
      pathParameter: '',
      pathArgument: '',
    }
  const { param, key } = parent
  const id = key.isPlain ? param : `encodeURIComponent(${param})`
  const pattern = `${parent.resources.path}/${key.pattern}/${name.snake}`
  return {
    begin: [
      `const ${param} = await create${parent.resource.name.upper}()`,
      `const path = \`${parent.resources.path}/\${${id}}/${name.snake}\``,
    ].join('\n'),
    given: `{ ${param} }`,
    path: 'path',
    pathText: '${path}',
    q: '`',
    pathPattern: pattern.replaceAll('/', '\\/'),
    pathParameter: 'path: string',
    pathArgument: 'path',
  }
}

/** The factory of the parent, without which no row can be written. */
export const parentFactory = ({ resources: { parent } }: ResourceNames): readonly string[] =>
  parent === undefined
    ? []
    : [
        `import { create${parent.resource.name.upper} } from '#test/factory/${parent.resource.file}'`,
      ]

function backCheck({ resources, key, param, hasPages }: ParentNames): string {
  if (!hasPages) return ''
  const id = key.isPlain ? param : `encodeURIComponent(${param})`
  return `assert.equal(list.all(\`a[href="${resources.path}/\${${id}}"]\`).length, 1)`
}

/** Whose records are whose; nothing for a resource of its own. */
export function insideTests(
  { resources }: ResourceNames,
  template: string,
  values: TemplateValues,
): string {
  const { parent, name } = resources
  if (parent === undefined) return ''
  const own = parent.resource.name
  return fillTemplate(template, {
    ...values,
    Parent: own.upper,
    parentWords: own.words,
    parentOne: own.one,
    param: parent.param,
    paramMember: toSnakeCase(parent.param),
    missingPath: `${parent.resources.path}/${parent.key.unknown[0]}/${name.snake}`,
    backCheck: backCheck(parent),
  })
}
