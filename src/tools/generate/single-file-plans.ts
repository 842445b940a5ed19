/** Plans the files of a single controller, model, migration, filter or view. */
import { FwError } from '../../runtime/base.ts'
import { parseAttributes } from './field.ts'
import { fillTemplate } from './fill-template.ts'
import { generateModel } from './generate-model.ts'
import { pathToControllers } from './generate-resource-controller.ts'
import { planMount } from './plan-mount.ts'
import { pluralize } from './pluralize.ts'
import type { Direction, GeneratedFile, Plan, Project } from './project.ts'
import { readModelFields, resolveReferenceTypes } from './read-model.ts'
import { Name, parseName, QualifiedName } from './resource-names.ts'
import { splitWords } from './resource-plan.ts'
import { columnChangePlan, generateMigration, isColumnChange } from './table-sql.ts'
import { indexTitle } from './title-field.ts'

/** Parses a name with its namespace: `admin.reports` or `admin reports`. */
function parseQualifiedName(words: readonly string[], usage: string): QualifiedName {
  const [first, second] = words
  if (first === undefined || words.length > 2)
    throw new FwError('generate.arguments-invalid', usage)
  const { namespace, name } = parseName(second === undefined ? first : `${first}.${second}`)
  return new QualifiedName(namespace, name)
}

const generateView = (path: string, title: string): GeneratedFile => ({
  path: `src/main/webapp/WEB-INF/views${path}.html.ssp`,
  text: fillTemplate('small/view.html.ssp', { title }),
})

/** Plans a controller with one page, its view and its test. */
export function controllerPlan(
  project: Project,
  words: readonly string[],
  usage: string,
  direction: Direction,
): Plan {
  const name = parseQualifiedName(words, usage)
  const values = {
    title: name.name.title,
    words: name.name.words,
    basePath: `${pathToControllers(name)}application-controller.ts`,
    Controller: `${name.name.pascal}Controller`,
    path: name.path,
    key: name.camel,
  }
  const { files, notes } = planMount(project, name, direction)
  return {
    files: [
      {
        path: `src/main/controller/${name.file}-controller.ts`,
        text: fillTemplate('small/controller.ts', values),
      },
      generateView(`${name.path}/index`, name.name.title),
      {
        path: `src/test/controller/${name.file}-controller.test.ts`,
        text: fillTemplate('small/controller.test.ts', values),
      },
      ...files,
    ],
    notes,
  }
}

/** Plans a model with its relations, migration and factory. A removal without fields reads them from the model. */
export function modelPlan(
  project: Project,
  words: readonly string[],
  usage: string,
  direction: Direction,
  isJoin = false,
): Plan {
  const parsed = splitWords(words)
  const model = parseQualifiedName(parsed.names, usage)
  const table = pluralize(model.snake)
  const isRead = direction === 'remove' && parsed.fields.length === 0
  const attributes = isRead
    ? readModelFields(project, model, table)
    : parseAttributes(parsed.fields)
  const fields = indexTitle(resolveReferenceTypes(project, attributes.fields, { model, table }))
  const complete = { ...attributes, fields }
  return { files: generateModel(project, { model, table }, complete, { isJoin }), notes: [] }
}

/** Plans a migration with the given SQL. The SQL after `-- down` reverts the migration. */
export function migrationPlan(
  project: Project,
  words: readonly string[],
  usage: string,
  database?: string,
): Plan {
  const [nameText, ...sqlWords] = words
  if (nameText === undefined) throw new FwError('generate.arguments-invalid', usage)
  const name = new Name(nameText)
  if (isColumnChange(words)) return columnChangePlan(project, words, database)
  const sql = sqlWords.map((word) => word.replace(/^'(.*)'$/s, '$1')).join(' ')
  const text = /^--[ \t]*down\b/im.test(sql)
    ? `${sql.trimEnd()}\n`
    : fillTemplate('small/migration.sql', { sql: sql || `-- ${name.words}` })
  return { files: [generateMigration(project, name.snake, text, database)], notes: [] }
}

/** Plans a filter, which is a trait for controllers. */
export function filterPlan(_project: Project, words: readonly string[], usage: string): Plan {
  const [nameText] = words
  if (nameText === undefined || words.length > 1)
    throw new FwError('generate.arguments-invalid', usage)
  const name = new Name(nameText.replace(/[-_]?filter$/i, ''))
  const text = fillTemplate('small/filter.ts', {
    title: `${name.title} filter`,
    words: name.words,
    Filter: `${name.pascal}Filter`,
    Name: name.pascal,
    method: name.camel,
  })
  return {
    files: [{ path: `src/main/controller/filter/${name.kebab}-filter.ts`, text }],
    notes: [],
  }
}

/** Plans a view that receives no values. */
export function viewPlan(_project: Project, words: readonly string[], usage: string): Plan {
  const name = parseQualifiedName(words, usage)
  return { files: [generateView(name.path, name.name.title)], notes: [] }
}
