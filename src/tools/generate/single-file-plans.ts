/** Plans the files of a single controller, model, migration, filter or view. */
import { attemptMigrationText } from '../../runtime/accounts.ts'
import { jobMigrationText } from '../../runtime/jobs.ts'
import { defaultUserFile } from './default-user.ts'
import { fillFile, fillTemplate } from './fill-template.ts'
import { generateModel } from './generate-model.ts'
import { jobTables } from './job-plan.ts'
import { pathToControllers } from './generate-resource-controller.ts'
import { planMount } from './plan-mount.ts'
import { pluralize } from './pluralize.ts'
import { invalidArguments, type Command, type GeneratedFile, type Plan } from './project.ts'
import { Name, parseName, QualifiedName } from './resource-names.ts'
import { readAttributes, splitWords } from './resource-plan.ts'
import { columnChangePlan, generateMigration, isColumnChange } from './table-sql.ts'

/** Parses a name with its namespace: `admin.reports` or `admin reports`. */
function parseQualifiedName([first, second, third]: readonly string[], usage: string) {
  if (first === undefined || third !== undefined) throw invalidArguments(usage)
  const { namespace, name } = parseName(second === undefined ? first : `${first}.${second}`)
  return new QualifiedName(namespace, name)
}

const generateView = (path: string, title: string): GeneratedFile =>
  fillFile(`src/main/webapp/WEB-INF/views${path}.html.ssp`, 'small/view.html.ssp', { title })

/** Plans a controller with one page, its view and its test. */
export function controllerPlan({ project, words, usage, direction }: Command): Plan {
  const name = parseQualifiedName(words, usage)
  const { title, words: titleWords, pascal } = name.name
  const values = {
    title,
    words: titleWords,
    basePath: `${pathToControllers(name)}application-controller.ts`,
    Controller: `${pascal}Controller`,
    path: name.path,
    key: name.camel,
  }
  const { files, notes } = planMount(project, [name], direction)
  return {
    files: [
      fillFile(`src/main/controller/${name.file}-controller.ts`, 'small/controller.ts', values),
      generateView(`${name.path}/index`, title),
      fillFile(
        `src/test/controller/${name.file}-controller.test.ts`,
        'small/controller.test.ts',
        values,
      ),
      defaultUserFile(),
      ...files,
    ],
    notes,
  }
}

/** Plans a model with its relations, migration and factory. */
export function modelPlan(command: Command): Plan {
  const { names, fields } = splitWords(command.words)
  const model = parseQualifiedName(names, command.usage)
  const own = { model, table: pluralize(model.snake) }
  const attributes = readAttributes(command, own, fields)
  const isJoin = command.options.through === true
  return { files: generateModel(command.project, own, attributes, { isJoin }), notes: [] }
}

/** The texts of the migrations that create tables of Fw, by their names. */
const knownMigrations: ReadonlyMap<string, () => string> = new Map([
  [jobTables, jobMigrationText],
  ['create_fw_attempts', attemptMigrationText],
])

/** Plans a migration with the given SQL; those of `knownMigrations` need none. The SQL after `-- down` reverts the migration. */
export function migrationPlan({ project, words, usage, options: { database } }: Command): Plan {
  const [nameText, ...sqlWords] = words
  if (nameText === undefined) throw invalidArguments(usage)
  const name = new Name(nameText)
  if (isColumnChange(words)) return columnChangePlan(project, words, database)
  const known = knownMigrations.get(name.snake)
  if (known !== undefined && sqlWords.length === 0)
    return { files: [generateMigration(project, name.snake, known(), database)], notes: [] }
  const sql = sqlWords.map((word) => word.replace(/^'(.*)'$/s, '$1')).join(' ')
  const text = /^--[ \t]*down[ \t]*$/im.test(sql)
    ? `${sql.trimEnd()}\n`
    : fillTemplate('small/migration.sql', { sql: sql || `-- Migration: ${name.words}` })
  return { files: [generateMigration(project, name.snake, text, database)], notes: [] }
}

/** Plans a filter, which is a trait for controllers. */
export function filterPlan({ words: [nameText, more], usage }: Command): Plan {
  if (nameText === undefined || more !== undefined) throw invalidArguments(usage)
  const name = new Name(nameText.replace(/[-_]?filter$/i, ''))
  const path = `src/main/controller/filter/${name.kebab}-filter.ts`
  const file = fillFile(path, 'small/filter.ts', {
    title: `${name.title} filter`,
    words: name.words,
    Filter: `${name.pascal}Filter`,
    Name: name.pascal,
    method: name.camel,
  })
  return { files: [file], notes: [] }
}

/** Plans a view that receives no values. */
export function viewPlan({ words, usage }: Command): Plan {
  const name = parseQualifiedName(words, usage)
  return { files: [generateView(name.path, name.name.title)], notes: [] }
}
