/** Plans a job with its test and, for the first job, the migration of the tables of jobs. */
import { jobMigrationText } from '../../runtime/jobs.ts'
import { readValues } from './enum-labels.ts'
import type { Field } from './field.ts'
import { parseAttributes } from './field.ts'
import { fillFile } from './fill-template.ts'
import {
  formatCall,
  formatImport,
  formatLines,
  formatObject,
  present,
  quote,
} from './format-code.ts'
import { typeCode } from './generate-model.ts'
import { invalidArguments, type Command, type Plan, type Project } from './project.ts'
import { Name } from './resource-names.ts'
import { generateMigration } from './table-sql.ts'

/** The name of the migration that creates the tables of jobs. */
export const jobTables = 'create_fw_jobs'

const folder = 'db/migration'

/** Plans a migration that creates a table of Fw; none if a migration, such as a baseline, has the table. */
export function planTable(project: Project, table: string, name: string, text: string) {
  const mentions = new RegExp(`\\b${table}\\b`)
  const isThere = project
    .list(folder)
    .some((file) => mentions.test(project.read(`${folder}/${file}`) ?? ''))
  return isThere ? [] : [{ ...generateMigration(project, name, text), kind: 'shared' as const }]
}

/** Plans the migration that creates the tables of jobs, unless a migration has them. */
export const planTables = (project: Project) =>
  planTable(project, 'fw_jobs', jobTables, jobMigrationText())

/** Plans a job: `fw g job invoice orderId:Long`. @throws FwError `generate.field-invalid`, `generate.name-invalid` */
export function jobPlan({ project, words, usage, direction }: Command): Plan {
  const [nameText, ...given] = words
  if (nameText === undefined || nameText.includes(':')) throw invalidArguments(usage)
  const name = new Name(nameText.replace(/[-_]?job$/i, ''))
  const path = `src/main/job/${name.kebab}.ts`
  const source = direction === 'remove' && given.length === 0 ? project.read(path) : undefined
  const { fields, associations } = parseAttributes(
    source === undefined ? given : readWords(source),
    project,
  )
  if (associations.length > 0) throw invalidArguments(usage)
  const values = templateValues(name, fields)
  const test = `src/test/job/${name.kebab}.test.ts`
  return {
    files: [
      fillFile(path, 'small/job.ts', values),
      fillFile(test, 'small/job.test.ts', {
        ...values,
        imports: formatTestImports(fields),
      }),
      ...(direction === 'add' ? planTables(project) : []),
    ],
    notes: [],
  }
}

function templateValues(name: Name, fields: readonly Field[]) {
  const types = fields.map((field) => `${field.name.camel}: ${typeCode(field)}`)
  const values = fields.map(({ name: { camel }, type }) => `${camel}: ${type.sampleCode}`)
  const own = fields.flatMap(({ type }) => type.own ?? [])
  const code = types.join()
  const imports = present([
    code.includes('ParamType') && 'ParamType',
    code.includes('json<') && 'json',
  ])
  return {
    title: name.title,
    words: name.words,
    file: name.kebab,
    Job: name.pascal,
    definition: formatDefinition(name, types, fields),
    enqueue: `await ${name.pascal}.enqueue(${values.length === 0 ? '' : formatObject(values, 20 + name.pascal.length)})`,
    imports: [
      ...(imports.length === 0 ? [] : [formatImport(imports, 'fwjs')]),
      ...new Set(own.map((type) => formatImport([type.name], type.path))),
    ].join('\n'),
  }
}

/** Formats the definition, with an argument per line if the first line would be too long. */
function formatDefinition(name: Name, types: readonly string[], fields: readonly Field[]): string {
  const names = fields.map(({ name: { camel } }) => camel)
  const given = `(${names.length === 0 ? '_' : formatObject(names, 0)}, { logger }) => {`
  const handler = (indent: number): string => {
    const call = formatCall('logger.info', [formatObject(names, indent), quote(name.words)], indent)
    return `${given}\n  ${call.replaceAll('\n', '\n  ')}\n}`
  }
  const head = `export const ${name.pascal} = job(`
  const first = `${head}${quote(name.kebab)}, ${formatObject(types, 0)}, ${given}`
  if (first.length <= 100 && !first.includes('\n'))
    return first.slice(0, -given.length) + `${handler(2)})`
  return `${head}\n${formatLines([quote(name.kebab), formatObject(types, 2), handler(4)])})`
}

function formatTestImports(fields: readonly Field[]): string {
  const code = fields.map(({ type }) => type.sampleCode).join()
  const names = present([
    code.includes('Temporal.') && 'Temporal',
    code.includes('BigDecimal') && 'type BigDecimal',
  ])
  return names.length === 0 ? '' : formatImport(names, 'fwjs')
}

/** Reads the arguments of a generated job, so that `fw destroy job` needs only its name. */
function readWords(source: string): string[] {
  const types = /job\(\s*'[^']+',\s*(\{[^}]*\})/.exec(source)?.[1] ?? ''
  const member =
    /(\w+): (ParamType\.optional\(\s*)?(ParamType\.array\()?(?:ParamType\.(?:oneOf\(([^)]*)|(\w+))|(json<unknown>\(\)))/g
  return [...types.matchAll(member)].map(([, name, optional, list, values, type, json]) => {
    const mark = optional === undefined ? '' : '?'
    if (values !== undefined) return `${name}:enum${mark}:${readValues(values)}`
    return `${name}:${json === undefined ? type : 'Json'}${list === undefined ? '' : '[]'}${mark}`
  })
}
