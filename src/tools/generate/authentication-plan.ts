/** Plans accounts: models, controllers with pages, mails, messages and tests. */
import { attemptMigrationText } from '../../runtime/accounts.ts'
import { sessionMigrationText } from '../../runtime/session.ts'
import {
  chooseFeatures,
  hasApiTokens,
  templateValues,
  type Feature,
} from './authentication-features.ts'
import { editDefaultUser } from './default-user.ts'
import {
  addImports,
  addImportedName,
  addInitializer,
  addMethod,
  addTrait,
  removeImport,
  removeImportedName,
  removeTrait,
} from './edit-code.ts'
import { editSections } from './edit-messages.ts'
import { quote } from './format-code.ts'
import { editPackages, installNote } from './edit-packages.ts'
import {
  checkTables,
  findExistingAccounts,
  planExistingAccounts,
  quoteTable,
} from './existing-accounts.ts'
import {
  fillFile,
  fillTemplate,
  listTemplates,
  sharedFile,
  type TemplateValues,
} from './fill-template.ts'
import { planTable, planTables } from './job-plan.ts'
import { listMailers, mailLayouts, mailPackages } from './mailer-plan.ts'
import { listMessageFiles, listTextFiles } from './message-files.ts'
import { findTextLanguage, readAccountTexts, type Texts } from './message-texts.ts'
import { planMount } from './plan-mount.ts'
import { pluralize } from './pluralize.ts'
import {
  editText,
  invalidArguments,
  planEdit,
  PlannedProject,
  type Command,
  type Direction,
  type GeneratedFile,
  type GeneratorOptions,
  type Plan,
  type Project,
} from './project.ts'
import { Name, parseName, QualifiedName } from './resource-names.ts'
import { generateMigration } from './table-sql.ts'

const webInf = 'src/main/webapp/WEB-INF'
const applicationController = 'src/main/controller/application-controller.ts'
const apiController = 'src/main/controller/api-controller.ts'
const rootController = 'src/main/controller/root-controller.ts'
const bootstrap = 'src/main/bootstrap.ts'
const layout = `${webInf}/layouts/default.ssp`

/** Plans the files of accounts. @throws FwError `generate.*` */
export function authenticationPlan({ project, words, usage, direction, options }: Command): Plan {
  const existing =
    options.over === undefined ? undefined : readExisting(project, options.over, words)
  const name = existing?.name ?? readName(words, usage)
  const table = existing?.table ?? pluralize(name.snake)
  const hasPages = checkPages(project, options)
  const isAdding = direction === 'add'
  const features = chooseFeatures(existing === undefined ? table : undefined, hasPages, options)
  const values = {
    ...templateValues(name, table, features),
    ...mailSubjects(project),
    ...(existing !== undefined && { tableSql: quoteTable(table) }),
  }
  const planned = new PlannedProject(project)
  const notes = new Set<string>()
  if (existing !== undefined)
    planned.add(planExistingAccounts(project, existing, { direction, hasPages }))
  const migrations = planMigrations(planned, features, values)
  if (isAdding && existing !== undefined) checkTables(project, migrations)
  planned.add(migrations)
  if (isAdding) for (const plan of hasPages ? pageTables : apiTables) planned.add(plan(planned))
  planned.add(editDefaultUser(project, direction))
  const files = features.flatMap(({ templates }) => listFiles(templates, name, values))
  planned.add(existing === undefined ? files : omitModel(project, files, name))
  const packages = editDependencies(project, direction, features)
  planned.add(packages)
  if (hasPages) {
    planned.add(isAdding ? mailLayouts() : [])
    planned.add(mixIntoBase(planned, pageBase, direction, notes))
    planned.add(editStore(planned, direction, notes))
  }
  if (hasApiTokens(features)) planned.add(editApi(planned, { direction, hasPages, notes }))
  const members = [
    ...(hasPages ? [pageMember] : []),
    ...(hasApiTokens(features) ? [apiMember] : []),
  ]
  for (const member of members) planned.add(editMember(planned, member, direction, notes))
  const controllers = features.flatMap((feature) => feature.controllers ?? []).toSorted()
  const mount = planMount(planned, controllers.map(qualify), direction)
  planned.add(mount.files)
  for (const note of mount.notes) notes.add(note)
  planned.add(planEdit(project, layout, (text) => editText(text, link, direction, '</nav>')))
  planned.add(editAllMessages(project, direction, features, notes))
  return { files: planned.files, notes: packages.length > 0 ? [...notes, installNote] : [...notes] }
}

/** @throws FwError `generate.arguments-invalid` if the words name another model, and as `findExistingAccounts` */
function readExisting(project: Project, table: string, [word]: readonly string[]) {
  const existing = findExistingAccounts(project, table)
  const { snake } = checkName(existing.name)
  if (word === undefined || new Name(word).snake === snake) return existing
  throw invalidArguments(
    `The model of the table ${table} is ${snake}, not ${word}: leave the name out.`,
  )
}

/** Leaves out the model, which exists, and the factory, if it exists. */
function omitModel(
  project: Project,
  files: readonly GeneratedFile[],
  { kebab }: Name,
): readonly GeneratedFile[] {
  const factory = `src/test/factory/${kebab}.ts`
  return files.filter(
    ({ path, text }) =>
      path !== `src/main/model/${kebab}.ts` &&
      (path !== factory || (project.read(factory) ?? text) === text),
  )
}

/** Plans a migration for each part with tables. */
function planMigrations(
  project: Project,
  features: readonly Feature[],
  values: TemplateValues,
): readonly GeneratedFile[] {
  const planned = new PlannedProject(project)
  for (const { templates, table } of features)
    if (table !== undefined) {
      const text = fillTemplate(`${templates}/migration.sql`, values)
      planned.add([generateMigration(planned, `create_${table}`, text)])
    }
  return planned.files
}

/** Returns false for an application that `fw new --api` created. @throws FwError `generate.arguments-invalid` */
function checkPages(project: Project, { totp, passkeys, apiTokens }: GeneratorOptions): boolean {
  if (project.read(applicationController) !== undefined) return true
  if (project.read(apiController) === undefined)
    throw invalidArguments(
      `Accounts need the base of the controllers: there is neither ${applicationController} nor ${apiController}.`,
    )
  if (totp === false || passkeys === false || apiTokens === false)
    throw invalidArguments(
      `This application has no pages (there is no ${applicationController}), so its accounts have only tokens: leave the option out.`,
    )
  return false
}

const qualify = (name: string): QualifiedName => new QualifiedName([], new Name(name))

/** The names of generated models and variables. */
const ownNames: ReadonlySet<string> = new Set(
  'account api_token email login mailed_link passkey password recovery_code second_factor session token'.split(
    ' ',
  ),
)

/** @throws FwError `generate.arguments-invalid`, `generate.name-invalid` */
function readName(words: readonly string[], usage: string): Name {
  const [text = 'user', more] = words
  const { namespace, name } = parseName(text)
  if (more !== undefined || namespace.length > 0) throw invalidArguments(usage)
  return checkName(new QualifiedName([], name).name)
}

/** @throws FwError `generate.arguments-invalid` */
function checkName(name: Name): Name {
  if (!ownNames.has(name.snake)) return name
  throw invalidArguments(`Accounts have a ${name.words} of their own: name the model otherwise.`)
}

/** Plans a migration of a table of Fw. */
type TablePlan = (project: Project) => readonly GeneratedFile[]

/** The tables of Fw that accounts need. They stay when accounts are removed. */
const apiTables: readonly TablePlan[] = [
  (project) => planTable(project, 'fw_attempts', 'create_fw_attempts', attemptMigrationText()),
  planTables,
]
const pageTables: readonly TablePlan[] = [
  (project) => planTable(project, 'fw_sessions', 'create_fw_sessions', sessionMigrationText()),
  ...apiTables,
]

/** The folder of the generated files, by the folder of their templates. */
const targets: Readonly<Record<string, string>> = {
  job: 'src/main/job',
  model: 'src/main/model',
  controller: 'src/main/controller',
  mail: 'src/main/mail',
  'mail-views': `${webInf}/mail`,
  views: `${webInf}/views`,
  assets: 'src/main/webapp/assets',
  test: 'src/test',
}

/** Returns a file for each template. The files of the model `user` have the name of the model. */
function listFiles(
  templates: string,
  { kebab }: Name,
  values: TemplateValues,
): readonly GeneratedFile[] {
  return listTemplates(templates).flatMap((template) => {
    const folder = template.slice(0, template.indexOf('/'))
    const target = targets[folder]
    if (target === undefined) return []
    const path = (target + template.slice(folder.length)).replace(/\/user\.ts$/, `/${kebab}.ts`)
    return [fillFile(path, `${templates}/${template}`, values)]
  })
}

function editDependencies(
  project: Project,
  direction: Direction,
  features: readonly Feature[],
): readonly GeneratedFile[] {
  const all: Record<string, string> = Object.assign(
    {},
    ...features.map(({ packages = {} }) => packages),
  )
  if (direction === 'add') return editPackages(project, 'dependencies', [], all)
  const hasOtherMails = listMailers(project).some((file) => !file.endsWith('/account-mail.ts'))
  const known = Object.keys(all).filter((name) => !hasOtherMails || !(name in mailPackages))
  return editPackages(project, 'dependencies', known, {})
}

/** A base of controllers, and the trait of accounts that it gets. */
interface Base {
  readonly file: string
  readonly name: string
  readonly trait: string
  readonly path: string
}

const pageBase: Base = {
  file: applicationController,
  name: 'ApplicationController',
  trait: 'CurrentUser',
  path: './current-user.ts',
}
const apiBase: Base = {
  file: apiController,
  name: 'ApiController',
  trait: 'CurrentUserByToken',
  path: './current-user-by-token.ts',
}

function mixIntoBase(
  project: Project,
  { file, name, trait, path }: Base,
  direction: Direction,
  notes: Set<string>,
): readonly GeneratedFile[] {
  const edited = planEdit(project, file, (text) => {
    if (direction === 'remove') return removeImport(removeTrait(text, name, trait), trait)
    const mixed = addTrait(text, name, trait)
    return mixed && addImports(mixed, new Map([[trait, path]]))
  })
  if (edited.length === 0)
    notes.add(
      `${file} could not be edited: import { ${trait} } from '${path}' there, and write class ${name} extends mix(…, ${trait}).`,
    )
  return edited
}

interface ApiEdit {
  readonly direction: Direction
  readonly hasPages: boolean
  readonly notes: Set<string>
}

/** Mixes `CurrentUserByToken` into the base of all controllers of the API, and leaves the front page of an API open. */
function editApi(
  project: Project,
  { direction, hasPages, notes }: ApiEdit,
): readonly GeneratedFile[] {
  const planned = new PlannedProject(project)
  const before = project.read(apiController)
  if (before === undefined && direction === 'remove') return []
  if (before === undefined) planned.add([sharedFile(apiController, 'scaffold/api-controller.ts')])
  else if (!before.includes(apiBase.trait) && direction === 'add')
    notes.add(
      `All controllers that extend ApiController now need a token. Let those without one extend FwApiController. Generated tests log a user in; in others, write app.session().as(user).`,
    )
  planned.add(mixIntoBase(planned, apiBase, direction, notes))
  if (hasPages) return planned.files
  const [closed, open] = ['api-application', 'authentication-api'].map((folder) =>
    fillTemplate(
      `${folder}/${folder === 'api-application' ? rootController : 'root-controller.ts'}`,
      {},
    ),
  ) as [string, string]
  const [from, to] = direction === 'add' ? [closed, open] : [open, closed]
  planned.add(planEdit(project, rootController, (text) => (text === from ? to : undefined)))
  return planned.files
}

const initializer = "new FwSessionInitializer().mount(ctx, '/*')"

/** Stores sessions in the database, unless the application has chosen a store. */
function editStore(
  project: Project,
  direction: Direction,
  notes: Set<string>,
): readonly GeneratedFile[] {
  const edited = planEdit(project, bootstrap, (text) => {
    if (direction === 'remove') return removeStore(text)
    if (text.includes('FwSessionInitializer')) return text
    const imported = addImportedName(text, 'FwSessionInitializer', 'fwjs')
    return imported && addInitializer(imported, initializer)
  })
  if (edited.length === 0)
    notes.add(`${bootstrap} could not be edited: call ${initializer} in initFwApp.`)
  return edited
}

function removeStore(text: string): string {
  if (!text.includes(initializer)) return text
  const lines = text.split('\n').filter((line) => !line.includes(initializer))
  return removeImportedName(lines.join('\n'), 'FwSessionInitializer', 'fwjs')
}

/** A method of the life cycle by which tests log in, and the object with a method of this name, in its file. */
interface Member {
  readonly name: string
  readonly object: string
  readonly path: string
}

const pageMember: Member = { name: 'sessionOf', object: 'logins', path: '#model/login' }
const apiMember: Member = { name: 'headersOf', object: 'tokenStore', path: '#model/api-token' }

/** Tells tests how a user logs in. */
function editMember(
  project: Project,
  { name, object, path }: Member,
  direction: Direction,
  notes: Set<string>,
): readonly GeneratedFile[] {
  const code = `
  override ${name}(user: { readonly id: number }) {
    return ${object}.${name}(user)
  }
`
  const edited = planEdit(project, bootstrap, (text) => {
    if (direction === 'remove') return removeImport(text.replace(code, ''), object)
    const added = addMethod(text, name, code)
    return added && addImports(added, new Map([[object, path]]))
  })
  if (edited.length === 0)
    notes.add(
      `${bootstrap} could not be edited: write a method ${name} there that calls ${object}.${name} of ${path}.`,
    )
  return edited
}

const link = '<a href="${s.url(routes.account.showUrl)}">${s.i18n.get(\'account.title\')}</a>\n'

/** Returns the subjects of mails that tests look for, as string literals. */
function mailSubjects(project: Project): TemplateValues {
  const { textLanguage } = listTextFiles(project)[0]!
  const { mail } = readAccountTexts('authentication', textLanguage)[0]![1]
  const { passwordChanged, deleted } = mail as Readonly<Record<string, Texts>>
  return {
    passwordChangedSubject: quote(passwordChanged!['subject']!),
    deletedSubject: quote(deleted!['subject']!),
  }
}

/** Adds the messages to each language of the application in which they exist, or removes them. */
function editAllMessages(
  project: Project,
  direction: Direction,
  features: readonly Feature[],
  notes: Set<string>,
): readonly GeneratedFile[] {
  for (const { language } of listMessageFiles(project))
    if (findTextLanguage(language) === undefined && direction === 'add')
      notes.add(`Translate the messages of accounts: Fw has none in '${language}'.`)
  return listTextFiles(project).flatMap(({ path, textLanguage }) => {
    const sections = features.flatMap(({ templates }) => readAccountTexts(templates, textLanguage))
    return planEdit(project, path, (text) => editSections(text, sections, direction))
  })
}
