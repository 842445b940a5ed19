/** Typical mistakes of applications, each with the compiler's message; and what must compile. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const repository = resolve(import.meta.dirname, '../..')

/** The application that every snippet extends. */
const application = `
import { ErrorPageFilter, FwController, mix, model, ParamType, routes } from 'fwjs'

export class ApplicationController extends mix(FwController, ErrorPageFilter) {}

export const Member = model('members', {
  id: ParamType.Long,
  name: ParamType.String,
  birthday: ParamType.LocalDate,
  countryId: ParamType.optional(ParamType.Long),
})

export class MembersController extends ApplicationController {
  index() { return this.render('/members/index') }
  create() { return this.redirect(this.url(members.indexUrl)) }
  show() { return this.url(members.showUrl, { id: 1 }) }
}

export const members = routes(MembersController, (r) => ({
  indexUrl: r.get('/members/?', 'index'),
  createUrl: r.post('/members/?', 'create'),
  showUrl: r.get('/members/:id', 'show'),
  commentUrl: r.get('/members/:id/comments/:number', 'show'),
  fileUrl: r.get('/files/*', 'show'),
  digitsUrl: r.get(/\\d+/, 'show'),
}))
`

const imports = `
import * as fw from 'fwjs'
import { checkAll, maxLength, minLength, numeric, paramKey, ParamType, required, same } from 'fwjs'
import { ApplicationController, Member, members, MembersController } from './application.ts'
`

/** The code of one action. */
const inAction = (code: string): string =>
  `export class Mistake extends ApplicationController { act(number: number | undefined) { return ${code} } }`

const resourceOptions =
  "model: Member, resourcesName: 'members', createFormStrongParameters: { name: ParamType.String }"

/** Title, code, and what the message must say. */
const mistakes: readonly (readonly [title: string, code: string, ...says: string[]])[] = [
  [
    'a missing path parameter',
    inAction('this.url(members.showUrl)'),
    `'Route<"/members/:id", "show", "GET", "show">' is not assignable to parameter of type '"missing path parameter: id"'`,
  ],
  [
    'two missing path parameters',
    inAction('this.url(members.commentUrl)'),
    '"missing path parameter: id" | "missing path parameter: number"',
  ],
  [
    'a missing path parameter of a resource',
    `class Resource extends fw.FwResource(ApplicationController, { ${resourceOptions}, resourceName: 'member' }) {}
     const resource = fw.resource(Resource)
     ${inAction('this.url(resource.showUrl)')}`,
    '"missing path parameter: id"',
  ],
  [
    'before limited to an action',
    "export class Mistake extends ApplicationController { static { this.before({ only: ['index'] }, () => {}) } }",
    'Expected 1 arguments, but got 2',
  ],
  [
    'after limited to actions',
    "export class Mistake extends ApplicationController { static { this.after({ except: ['index'] }, () => {}) } }",
    'Expected 1 arguments, but got 2',
  ],
  [
    'a misspelt path parameter',
    inAction('this.url(members.showUrl, { ID: 1 })'),
    "'ID' does not exist in type '{ readonly id: UrlValue; }'. Did you mean to write 'id'?",
  ],
  [
    'a path parameter that may be undefined',
    inAction('this.url(members.showUrl, { id: number })'),
    "Type 'undefined' is not assignable to type 'UrlValue'",
  ],
  [
    'a parameter for a route that has none',
    inAction('this.url(members.indexUrl, { page: 1 })'),
    "'page' does not exist in type 'NoPathParameters'",
  ],
  ['a missing splat', inAction('this.url(members.fileUrl)'), '"missing path parameter: splat"'],
  [
    'the URL of a regular expression',
    inAction('this.url(members.digitsUrl)'),
    '"a regular expression has no URL"',
  ],
  [
    'a route where a path is needed',
    inAction('this.redirect(members.indexUrl)'),
    `'Route<"/members/?", "index", "GET", "index">' is not assignable to parameter of type 'string'`,
  ],
  [
    'a misspelt route',
    inAction('this.url(members.indxUrl)'),
    "Property 'indxUrl' does not exist",
    "Did you mean 'indexUrl'?",
  ],
  [
    'a misspelt action',
    "export const more = fw.routes(MembersController, (r) => ({ url: r.get('/more', 'shwo') }))",
    `'"shwo"' is not assignable to parameter of type`,
    '"create"',
    '"index"',
    '"show"',
  ],
  [
    'an action with the name of a member of every controller',
    `class Status extends ApplicationController { override status: any }
     export const more = fw.routes(Status, (r) => ({ url: r.get('/more', 'status') }))`,
    `'"status"' is not assignable to parameter of type '"'status' is a member of every controller: give the action another name"'`,
  ],
  [
    'a misspelt route name in a filter of routes',
    "members.beforeAction({ only: ['shwo'] }, () => undefined)",
    `'"shwo"' is not assignable to type '"create" | "index" | "show"'`,
  ],
  [
    'a misspelt option of a filter',
    `export class Mistake extends ApplicationController { static { this.beforeAction({ onyl: ['show'] }, () => undefined) } }`,
    "'onyl' does not exist in type 'FilterOptions<string>'",
  ],
  [
    'mounting a class instead of its routes',
    'export class Bootstrap extends fw.FwLifeCycle { override initFwApp(ctx: fw.ServletContext) { MembersController.mount(ctx) } }',
    "Property 'mount' does not exist on type 'typeof MembersController'",
  ],
  [
    'a misspelt field in where',
    "export const rows = Member.where({ nam: 'Ann' }).findAll()",
    `Type 'string' is not assignable to type 'NoSuchField<"members", "nam">'`,
  ],
  [
    'a value of another type in where',
    'export const rows = Member.where({ name: 1 }).findAll()',
    "Type 'number' is not assignable to type 'string'",
  ],
  [
    'a misspelt field in orderBy',
    "export const rows = Member.query().orderBy('nam').findAll()",
    `'"nam"' is not assignable to parameter of type '"birthday" | "countryId" | "id" | "name"'`,
  ],
  [
    'an id of another type',
    "export const row = Member.findById('1')",
    "'string' is not assignable to parameter of type 'number'",
  ],
  [
    'raw values for a new row',
    "export const id = Member.createWithPermittedAttributes({ name: 'Ann', birthday: fw.Temporal.PlainDate.from('2000-01-02') })",
    "Property 'returnedByPermitOrPermitValues' is missing in type '{ name: string; birthday:",
    "but required in type 'PermittedValues'",
  ],
  [
    'raw values for an update',
    "export const count = Member.updateById(1).withPermittedAttributes({ name: 'Ann' })",
    "Property 'returnedByPermitOrPermitValues' is missing in type '{ name: string; }' but required in type 'PermittedValues'",
  ],
  [
    'a new row without a field',
    inAction(
      'Member.createWithPermittedAttributes(this.params.permit({ name: ParamType.String }))',
    ),
    "Property 'birthday' is missing in type 'PermittedValues & { readonly name: string; }'",
  ],
  [
    'a field of another type',
    inAction(
      'Member.createWithPermittedAttributes(this.params.permit({ name: ParamType.String, birthday: ParamType.String }))',
    ),
    "Types of property 'birthday' are incompatible.",
    "Type 'string' is not assignable to type 'PlainDate'",
  ],
  [
    'a rule for a field that the form does not list',
    inAction(
      "this.validation(this.params, { name: ParamType.String }, paramKey('nmae').is(required))",
    ),
    `Type '"nmae"' is not assignable to type '"name"'`,
  ],
  [
    'a key without rules',
    inAction("this.validation(this.params, paramKey('name'))"),
    "Type 'KeyWithoutRules<\"name\", string | undefined>' is missing the following properties from type 'KeyRules<",
  ],
  [
    'a rule function instead of a rule',
    "export const rules = paramKey('name').is(required, maxLength)",
    "'(n: number) => Rule<Measurable>' is not assignable to parameter of type 'RuleLike<string | undefined>'",
  ],
  [
    'a rule for pairs on a text',
    "export const rules = paramKey('name').is(checkAll(required, same))",
    "'Rule<readonly [unknown, unknown] | null | undefined>' is not assignable to type 'Rule<string | undefined>'",
  ],
  [
    'a text instead of a ParamType',
    inAction("this.params.getAs('id', 'Long')"),
    "'string' is not assignable to parameter of type 'ParamType<unknown>'",
  ],
  [
    'a default of another type',
    inAction("this.params.getAsOrElse('page', ParamType.Int, '1')"),
    "'string' is not assignable to parameter of type 'number'",
  ],
  [
    'a misspelt option of a resource',
    `export class Mistake extends fw.FwResource(ApplicationController, { ${resourceOptions}, resourceName: 'member', pagesize: 3 }) {}`,
    "'pagesize' does not exist in type 'ResourceOptions<",
    "Did you mean to write 'pageSize'?",
  ],
  [
    'a missing option of a resource',
    `export class Mistake extends fw.FwResource(ApplicationController, { ${resourceOptions} }) {}`,
    "Property 'resourceName' is missing in type",
  ],
  [
    'a feature that is not mixed in',
    inAction("this.fileParams.get('photo')"),
    "Property 'fileParams' does not exist on type 'Mistake'",
  ],
]

/** Title and code of what must compile. */
const valid: readonly (readonly [title: string, code: string])[] = [
  [
    'checkAll of rules for different values',
    "export const rules = paramKey('name').is(checkAll(required, numeric, minLength(3)))",
  ],
  ['halt with a result', inAction("this.halt(fw.NotAcceptable('HTML only'))")],
  [
    'an undefined value of a query',
    inAction(
      "this.url('/q', { page: undefined, size: number }) + this.url(members.indexUrl, {}, { number })",
    ),
  ],
  [
    'a micro route that links to itself',
    `export const micro = fw.microServlet((r) => ({
       url: r.get('/hello/:name', (c) => c.redirect(c.url(micro.url, { name: 'you' }))),
     }))`,
  ],
  [
    'parameters and a validation without a controller',
    `const params = fw.Params.from(new Map([['name', 'Ann']]))
     const validation = fw.createValidation(params, [paramKey('name').is(required)])
     export const messages = validation.validate() ? [] : validation.errorMessages
     export const permitted: fw.PermittedValues = fw.Params.from({ name: 'Ann' }).permit({ name: ParamType.String })`,
  ],
]

const folder = mkdtempSync(join(tmpdir(), 'fw-mistakes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The messages of the compiler, by the title of the code. */
const messages = new Map<string, string>()

beforeAll(() => {
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  write('package.json', '{ "type": "module" }')
  const base = join(repository, 'test/support/tsconfig.app.json')
  write('tsconfig.json', JSON.stringify({ extends: base, include: ['*.ts'] }))
  write('application.ts', application)
  const titles = [...mistakes, ...valid].map(([title]) => title)
  for (const [at, [, code]] of [...mistakes, ...valid].entries()) write(`${at}.ts`, imports + code)
  const tsc = join(repository, 'node_modules/.bin/tsc')
  const { stdout } = spawnSync(tsc, ['-p', folder, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  })
  for (const block of stdout.split(/\n(?=\S)/)) {
    const [, file] = /^(\w+)\.ts\(/.exec(block) ?? []
    const title = titles[Number(file)] ?? 'application'
    messages.set(title, `${messages.get(title) ?? ''}${block}\n`)
  }
})

test('the application itself compiles', () => expect(messages.get('application')).toBeUndefined())

test.each(mistakes)('%s', (title, _code, ...says) => {
  for (const text of says) expect(messages.get(title)).toContain(text)
})

test.each(valid)('compiles: %s', (title) => expect(messages.get(title)).toBeUndefined())
