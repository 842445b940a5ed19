/** Plans a mailer with both bodies of its mail, its preview and its test. */
import { editPackages, installNote } from './edit-packages.ts'
import { readValues } from './enum-labels.ts'
import { invalidField, parseAttributes, type Field } from './field.ts'
import { fillFile, sharedFile } from './fill-template.ts'
import {
  formatImport,
  formatLines,
  formatObject,
  importFactory,
  importModel,
  present,
} from './format-code.ts'
import { typeCode } from './generate-model.ts'
import { planTables } from './job-plan.ts'
import { readScopedBy } from './owner-scope.ts'
import {
  invalidArguments,
  type Command,
  type GeneratedFile,
  type Plan,
  type Project,
} from './project.ts'
import { modelPath, readReferenceTarget } from './read-model.ts'
import { parseName, QualifiedName, type Name } from './resource-names.ts'
import { splitWords } from './resource-plan.ts'

const folder = 'src/main/mail'
const views = 'src/main/webapp/WEB-INF/mail'
/** The packages that send mails. */
export const mailPackages = { '@css-inline/css-inline-wasm': '0.21.2', nodemailer: '10.6.1' }

/** The types of values by the name of their `ParamType`. A mailer can pass other types on by a key of a row. */
const valueTypes: ReadonlyMap<string, string> = new Map([
  ...['String', 'Email', 'Uuid', 'IpAddress'].map((name) => [name, 'string'] as const),
  ...['Byte', 'Short', 'Int', 'Long', 'Float', 'Double'].map((name) => [name, 'number'] as const),
  ['Boolean', 'boolean'],
  ['BigDecimal', 'BigDecimal'],
  ['LocalDate', 'Temporal.PlainDate'],
  ['LocalTime', 'Temporal.PlainTime'],
  ['LocalDateTime', 'Temporal.PlainDateTime'],
  ['DateTime', 'Temporal.Instant'],
])

/** A value of the mail's bodies. */
interface Value {
  readonly name: string
  /** The argument of the mailer, which for a record is its key. */
  readonly argument: string
  /** The code of the argument's type. */
  readonly typeCode: string
  /** The TypeScript type in the templates. */
  readonly valueType: string
  readonly isOptional: boolean
  /** The model of a record; undefined for a plain value. */
  readonly model: Name | undefined
  /** The code of the model that finds the record: a job runs for no user, so it finds records of all owners. */
  readonly finder?: string
  /** The code that prints the value in the language of the mail. */
  readonly printed: string
  readonly isUrl: boolean
  readonly label: string
  /** The argument in the preview. */
  readonly sample: string
}

function toValue(project: Project, field: Field): Value {
  const { name, type, references, isOptional } = field
  const { camel, title } = name
  const valueType = valueTypes.get(type.name)
  if (references !== undefined) {
    const { type: key } = readReferenceTarget(project, references)
    const [record, label] = [camel.replace(/Id$/, ''), references.title]
    return {
      name: record,
      argument: camel,
      typeCode: `ParamType.${key}`,
      valueType: references.pascal,
      isOptional: false,
      model: references,
      finder:
        readScopedBy(project, references) === undefined
          ? references.pascal
          : `${references.pascal}.unscoped`,
      isUrl: false,
      label,
      printed: `${record}.${emailOf(project, references) ?? 'id'}`,
      sample: key === 'Uuid' ? "'00000000-0000-0000-0000-000000000000'" : '1',
    }
  }
  if (valueType === undefined || type.own !== undefined || type.input === 'attachment')
    throw invalidField(`${name.snake}:${type.name}`, `a mailer has no ${type.name}: pass a record`)
  return {
    name: camel,
    argument: camel,
    typeCode: typeCode(field),
    valueType,
    isOptional,
    model: undefined,
    printed: printValue(camel, valueType),
    isUrl: type.input === 'url',
    label: title,
    sample: type.sampleCode,
  }
}

function printValue(name: string, valueType: string): string {
  if (valueType.startsWith('Temporal.')) return `s.i18n.formatDate(${name})`
  return valueType === 'number' || valueType === 'BigDecimal'
    ? `s.i18n.formatNumber(${name})`
    : name
}

/** Returns the field of a model with its e-mail address. */
const emailOf = (project: Project, model: Name): string | undefined =>
  /^\s*(email|emailAddress|mail): ParamType\.Email\b/m.exec(
    project.read(modelPath(model)) ?? '',
  )?.[1]

/** Plans the files of a mailer. @throws FwError `generate.*` */
export function mailerPlan({ project, words, usage, direction }: Command): Plan {
  const { names, fields } = splitWords(words)
  if (names.length !== 1) throw invalidArguments(usage)
  const { namespace, name } = parseName(names[0]!)
  const mail = new QualifiedName(namespace, name)
  const path = `${folder}/${mail.file}-mail.ts`
  const given =
    direction === 'remove' && fields.length === 0 ? readFields(project, path, mail) : fields
  const values = parseAttributes(given, project).fields.map((field) => toValue(project, field))
  const isAdding = direction === 'add'
  const hasOthers = listMailers(project).some((file) => file !== path)
  const packages = editPackages(
    project,
    'dependencies',
    isAdding || hasOthers ? [] : Object.keys(mailPackages),
    isAdding ? mailPackages : {},
  )
  return {
    files: [
      ...mailFiles(project, mail, path, values),
      ...mailLayouts(),
      // Jobs send the mails.
      ...(isAdding ? planTables(project) : []),
      ...packages,
    ],
    notes: packages.length === 0 ? [] : [installNote],
  }
}

/** The layouts of both bodies, which all mails share. */
export const mailLayouts = (): readonly GeneratedFile[] =>
  ['html', 'txt'].map((format) =>
    sharedFile(`${views}/layouts/default.${format}.ssp`, `mail/layout.${format}.ssp`),
  )

/** Returns the paths of all mailers, also of those with a namespace. */
export const listMailers = (project: Project, path = folder): readonly string[] =>
  project
    .list(path)
    .flatMap((file) =>
      file.includes('.') ? `${path}/${file}` : listMailers(project, `${path}/${file}`),
    )

/** Reads the fields of a generated mailer, so that it can be removed without repeating them. */
function readFields(project: Project, path: string, mail: QualifiedName): readonly string[] {
  const text = project.read(path) ?? ''
  const html = project.read(`${views}/${mail.file}.html.ssp`) ?? ''
  const types = /mailer\(\s*'[^']*',\s*\{([^}]*)\}/.exec(text)?.[1] ?? ''
  const models = [...text.matchAll(/ '#model\/(.+)'/g)].map(([, model]) => model!)
  const member = /(\w+): (ParamType\.optional\(\s*)?ParamType\.(?:oneOf\(([^)]*)|(\w+))/g
  return [...types.matchAll(member)].flatMap(([, name, optional, values, type]) => {
    if (name === undefined || name === 'to') return []
    const mark = optional === undefined ? '' : '?'
    if (values !== undefined) return [`${name}:enum${mark}:${readValues(values)}`]
    const model = models.find((one) => `${one.split('/').at(-1)}Id` === name)
    if (model !== undefined)
      return [`${name.replace(/Id$/, '')}:references:${model.replaceAll('/', '.')}`]
    const isUrl = html.includes(`href="\${${name}}"`)
    return [`${name}:${isUrl ? 'url' : type}${mark}`]
  })
}

function mailFiles(
  project: Project,
  mail: QualifiedName,
  path: string,
  values: readonly Value[],
): readonly GeneratedFile[] {
  const { title, words, pascal } = mail.name
  const file = `${mail.file}-mail`
  const to = recipientOf(project, values)
  const common = {
    title,
    words,
    Mailer: `${pascal}Mail`,
    mail: mail.file,
    file,
    key: mail.name.camel,
  }
  const samples = [
    to === 'to' && "to: 'ann@example.com'",
    ...values.map(({ argument, sample }) => `${argument}: ${sample}`),
  ]
  const models = values.flatMap(({ model }) => model ?? [])
  const tested = values.map(
    ({ argument, model, sample }) =>
      `${argument}: ${model === undefined ? sample : `await create${model.pascal}()`}`,
  )
  const temporal =
    values.some(({ sample }) => sample.includes('Temporal.')) && formatImport(['Temporal'], 'fwjs')
  return [
    fillFile(path, 'mail/mailer.ts', { ...common, ...mailerCode(common, values, to) }),
    fillFile(`${views}/${mail.file}.html.ssp`, 'mail/mail.html.ssp', {
      title,
      values: declarations(values),
      lines: values.map((value) => whereDefined(value, htmlLine(value))).join('\n'),
    }),
    fillFile(`${views}/${mail.file}.txt.ssp`, 'mail/mail.txt.ssp', {
      title,
      values: declarations(values),
      lines: values.map((value) => whereDefined(value, textLine(value))).join('\n'),
    }),
    fillFile(`src/test/mail/${mail.file}-preview.ts`, 'mail/preview.ts', {
      ...common,
      imports: present([temporal, `import { ${common.Mailer} } from '#main/mail/${file}'`]).join(
        '\n',
      ),
      call: previewCall(common, present(samples)),
    }),
    fillFile(`src/test/mail/${file}.test.ts`, 'mail/mailer.test.ts', {
      ...common,
      imports: present([
        temporal,
        formatImport(['sentMails', 'testApp'], 'fwjs/testing'),
        "import { Bootstrap } from '#main/bootstrap'",
        `import { ${common.Mailer} } from '#main/mail/${file}'`,
        ...models.map((model) => importFactory(model)),
      ]).join('\n'),
      samples: indent(formatObject(present([samples[0], ...tested]), 30), 4),
    }),
  ]
}

function previewCall(
  { key, Mailer }: Readonly<Record<'key' | 'Mailer', string>>,
  samples: readonly string[],
): string {
  const head = `  ${key}: () => ${Mailer}.render(`
  const inLine = formatObject(samples, head.length + 2)
  if (!inLine.includes('\n')) return `${head}${inLine}),`
  return `  ${key}: () =>\n    ${Mailer}.render(${indent(formatObject(samples, 12), 4)}),`
}

/** Returns the code of the recipient's address: of a record, of an argument, or the argument `to`, which is added. */
function recipientOf(project: Project, values: readonly Value[]): string {
  for (const { name, model } of values) {
    const email = model === undefined ? undefined : emailOf(project, model)
    if (email !== undefined) return `${name}.${email}`
  }
  return values.find(({ typeCode: code }) => code === 'ParamType.Email')?.name ?? 'to'
}

function mailerCode(
  { Mailer, mail, title }: Readonly<Record<'Mailer' | 'mail' | 'title', string>>,
  values: readonly Value[],
  to: string,
) {
  const own = to === 'to' && !values.some(({ name }) => name === 'to')
  const names = present([own && 'to', ...values.map(({ argument }) => argument)])
  const types = present([
    own && 'to: ParamType.Email',
    ...values.map((value) => `${value.argument}: ${value.typeCode}`),
  ])
  const models = values.flatMap(({ model }) => model ?? [])
  const line = `{ ${names.join(', ')} }`
  const parameters = line.length <= 82 ? `(${line})` : `({\n${formatLines(names)}})`
  const head = `${models.length > 0 ? 'async ' : ''}${parameters} =>`
  const message = present([
    to === 'to' ? 'to' : `to: ${to}`,
    `subject: '${title}'`,
    values.length > 0 && `values: { ${values.map(({ name }) => name).join(', ')} }`,
  ])
  const start = `export const ${Mailer} = mailer(`
  return {
    imports: [
      formatImport(['ParamType'], 'fwjs'),
      formatImport(['mailer'], 'fwjs/mail'),
      ...models.map((model) => importModel(model)),
    ].join('\n'),
    definition:
      start +
      formatArguments(start, [`'${mail}'`, formatObject(types, 2)], head, {
        loads: values.flatMap(loadLines),
        message,
      }),
  }
}

/** Returns the lines that load the record of a value. */
const loadLines = ({ name, argument, finder }: Value): readonly string[] =>
  finder === undefined
    ? []
    : [
        `const ${name} = await ${finder}.findById(${argument})`,
        `if (${name} === undefined) return undefined`,
      ]

/** Formats the arguments of `mailer` as the code formatter does: the first ones stay on the line of the call if they fit. */
function formatArguments(
  start: string,
  first: readonly string[],
  head: string,
  { loads, message }: { readonly loads: readonly string[]; readonly message: readonly string[] },
): string {
  const hasLoads = loads.length > 0
  const line = `${first.join(', ')}, ${head} ${hasLoads ? '{' : '({'}`
  const hugs = !line.includes('\n') && start.length + line.length <= 100
  const columns = hugs ? 0 : 2
  const body = hasLoads
    ? `{\n${[...loads, `return ${formatObject(message, columns + 9)}`].map((code) => `  ${indent(code, 2)}\n`).join('')}}`
    : hugs
      ? `({\n${formatLines(message)}})`
      : `(${formatObject(message, columns + head.length + 4)})`
  return hugs
    ? `${first.join(', ')}, ${head} ${body})`
    : `\n${formatLines([...first, `${head} ${body}`])})`
}

const indent = (code: string, columns: number): string =>
  code.replaceAll('\n', `\n${' '.repeat(columns)}`)

function declarations(values: readonly Value[]): string {
  const types = values.map(({ valueType }) => valueType)
  const fromFw = ['Temporal', 'BigDecimal'].filter((name) =>
    types.some((type) => type.startsWith(name)),
  )
  const models = values.flatMap(({ model }) => model ?? [])
  return [
    ...fromFw.map((name) => `<%@import type { ${name} } from 'fwjs' %>`),
    ...models.map(({ pascal, file }) => `<%@import type { ${pascal} } from '#model/${file}' %>`),
    ...values.map(
      ({ name, valueType, isOptional }) =>
        `<%@val ${name}: ${valueType}${isOptional ? ' | undefined = undefined' : ''} %>`,
    ),
  ].join('\n')
}

const whereDefined = ({ name, isOptional }: Value, line: string): string =>
  isOptional ? `#if (${name} !== undefined)\n${line}\n#end` : line

const textLine = ({ label, printed }: Value): string => `${label}: \${${printed}}`

const htmlLine = ({ label, printed, isUrl }: Value): string =>
  isUrl
    ? `<p><a class="button" href="\${${printed}}">${label}</a></p>`
    : `<p>${label}: \${${printed}}</p>`
