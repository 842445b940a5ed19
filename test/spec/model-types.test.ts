/** Right and wrong uses of models: what compiles, and the line of the compiler that names field and table. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const repository = resolve(import.meta.dirname, '../..')

const models = `
import { belongsTo, defaulted, hasMany, hasManyThrough, model, ParamType, type RowOf } from 'fwjs'
export const User = model('users', { id: ParamType.Long, username: ParamType.String, email: ParamType.optional(ParamType.String), password: ParamType.String, age: defaulted(ParamType.Int), updatedAt: ParamType.DateTime }, { hidden: ['password'] })
export const Article = model('articles', { id: ParamType.Long, title: ParamType.String, authorId: ParamType.Long, price: ParamType.optional(ParamType.BigDecimal) })
export const Tag = model('tags', { name: ParamType.String }, { primaryKey: 'name' })
export const ArticleTag = model('article_tags', { articleId: ParamType.Long, tagName: ParamType.String })
export const Total = model('totals', { authorId: ParamType.Long, total: ParamType.Long }, { primaryKey: 'authorId', readOnly: true })
export const totalAuthor = belongsTo(Total, 'authorId', User)
export const articleAuthor = belongsTo(Article, 'authorId', User)
export const userArticles = hasMany(User, Article, 'authorId')
export const articleTags = hasManyThrough(Article, ArticleTag, 'articleId', 'tagName', Tag)
export type User = RowOf<typeof User>
`
const imports = `import { belongsTo, FwController, FwModel, FwResource, hasMany, model, ParamType, paramKey, Params, permitValues, references, resource, unique } from 'fwjs'
import { Article, articleAuthor, articleTags, ArticleTag, Tag, Total, totalAuthor, User, userArticles } from './models.ts'
const maybe = '' as string | undefined
const user = permitValues({ username: 'ann', password: 'x' }, 'username', 'password')
const totals = { model: Total, resourcesName: 'totals', resourceName: 'total' } as const
class Totals extends FwResource(FwController, totals) {}
const Name = model('names', { name: ParamType.String }, { readOnly: true })
class Names extends FwResource(FwController, { model: Name, resourcesName: 'names', resourceName: 'name' }) {}
void [Totals, Names, resource, belongsTo, FwModel, hasMany, model, ParamType, paramKey, Params, permitValues, references, unique, Article, articleAuthor, articleTags, ArticleTag, Tag, Total, totalAuthor, User, userArticles, maybe, user]
`

const right = [
  'export const a: Promise<{ readonly id: number } | undefined> = User.findById(1)',
  "export const a = User.findBy({ email: null, username: 'ann' })",
  "export const a = User.where({ username: 'ann' }).where('age', '>', 18).findAll()",
  "export const a = User.where('id', 'in', [1, 2]).count()",
  "export const a = User.where((eb) => eb.or([eb('age', '<', 1), eb('email', 'is', null)])).exists()",
  "export const a: Promise<string[]> = User.query().pluck('username')",
  "export const a: Promise<(string | undefined)[]> = User.query().pluck('email')",
  "export const a = User.query().select('id').findAll().then((rows) => rows[0]!.id.toFixed())",
  "export const a: Promise<number> = User.query().sum('age')",
  "export const a = Article.query().sum('price')",
  "export const a: Promise<number | undefined> = User.query().average('age')",
  "export const a: Promise<string | undefined> = User.query().max('username')",
  "export const a: Promise<Map<number, number>> = User.query().countBy('age')",
  'export const a = Article.include({ author: articleAuthor }).findAll().then((rows) => rows[0]!.author?.username)',
  'export const a = User.include({ articles: userArticles }).findAll().then((rows) => rows[0]!.articles[0]!.title)',
  'export const a: Promise<number> = User.include({ n: userArticles.count() }).findAll().then((rows) => rows[0]!.n)',
  "export const a = User.include({ articles: userArticles.with((q) => q.where({ title: 'x' }).limit(3).include({ tags: articleTags })) }).findAll().then((rows) => rows[0]!.articles[0]!.tags[0]!.name)",
  "export const a = Article.where(articleAuthor, { username: 'ann' }).findAll()",
  'export const a = Article.where(articleTags).findAll()',
  "export const a = Article.include({ author: articleAuthor }).where({ author: { email: null }, title: 'x' }).findAll()",
  "const adults = User.scope((q) => q.where('age', '>', 17)); export const a = User.include({ articles: userArticles }).apply(adults).findAll().then((rows) => rows[0]!.articles)",
  'export const a: Promise<{ readonly age: number }> = User.create(user)',
  'export const a = User.createAll([user, user])',
  "export const a = User.upsert(user, { by: 'username', update: ['password'] })",
  "export const a: Promise<boolean> = ArticleTag.createUnlessThere(permitValues({ articleId: 1, tagName: 'x' }, 'articleId', 'tagName'), { by: ['articleId', 'tagName'] }).then(({ isNew }) => isNew)",
  "export const a: Promise<number | undefined> = User.increment(1, 'age', 2)",
  "export const a = User.create(Params.from({}).permit(User.pick('username', 'password', 'age')))",
  "export const a = User.where({ age: 1 }).updateAll(permitValues({ age: 2 }, 'age'))",
  "export const a: Promise<readonly { readonly email: string | null; readonly initial: string | null }[]> = User.view({ fields: ['email'], computed: { initial: [ParamType.String, (row) => row.username[0]] } }).load([])",
  "export const a: Promise<{ username: string; title: string }[]> = FwModel.kysely({ User, Article }).selectFrom('users').innerJoin('articles', 'articles.authorId', 'users.id').select(['users.username', 'articles.title']).execute()",
  "export const a = FwModel.kysely({ User }).insertInto('users').values({ username: 'ann', password: 'x', age: 1 }).execute()",
  "export const a: Promise<string | undefined> = Total.include({ author: totalAuthor }).where('total', '>', 1).findAll().then((rows) => rows[0]!.author?.username)",
  "export const a: '/totals/?' = resource(Totals, { except: ['showApi'] }).indexUrl.pattern",
  "export const a = FwResource(FwController, { model: User, resourcesName: 'users', resourceName: 'user' })",
  "export class A extends FwResource(FwController, { model: Article, resourcesName: 'articles', resourceName: 'article', createFormStrongParameters: Article.pick('title') }) { override findResources() { return this.model.where({ title: 'x' }).include({ author: articleAuthor }).findAll() } }",
  "export class A extends FwResource(FwController, { model: Article, resourcesName: 'articles', resourceName: 'article', createFormStrongParameters: Article.pick('title') }) { override get pageSize() { return 5 } override get updateFormStrongParameters() { return Article.pick('price') } }",
  "export const a: Promise<{ total: number }[]> = FwModel.kysely({ Total }).selectFrom('totals').select('total').execute()",
]

/** Code, and what one line of the message contains. */
const wrong: readonly (readonly [code: string, ...says: string[]])[] = [
  ["export const a = User.findBy({ usernam: 'ann' })", 'NoSuchField<"users", "usernam">'],
  ["export const a = User.where({ usernam: 'ann' })", 'NoSuchField<"users", "usernam">'],
  ["export const a = User.where({ username: 'ann', agee: 1 })", 'NoSuchField<"users", "agee">'],
  [
    'export const a = User.findBy({ username: maybe })',
    'PassNullInsteadOfUndefined<"users", "username">',
  ],
  [
    'export const a = User.where({ username: maybe })',
    'PassNullInsteadOfUndefined<"users", "username">',
  ],
  [
    "export const a = Article.where(articleAuthor, { usernam: 'x' })",
    'NoSuchField<"users", "usernam">',
  ],
  [
    "export const a = Article.include({ author: articleAuthor }).where({ author: { usernam: 'x' } })",
    'NoSuchField<"users", "usernam">',
  ],
  [
    'export const a = Article.include({ author: articleAuthor }).where({ author: { username: maybe } })',
    'PassNullInsteadOfUndefined<"users", "username">',
  ],
  [
    "export const a = Article.include({ author: articleAuthor }).where({ authr: { username: 'x' } })",
    "'authr' does not exist in type",
    'author?:',
  ],
  ['export const a = User.where(articleAuthor)', '"articles"', '"users"'],
  ['export const a = User.include({ author: articleAuthor })', '"articles"', '"users"'],
  [
    'const scope = Article.scope((q) => q.limit(1)); export const a = User.query().apply(scope)',
    'Scope<"articles">',
    'Scope<"users">',
  ],
  ["export const a = User.query().pluck('usernam')", '"usernam"', '"username"'],
  ["export const a = User.query().select('usernam')", '"usernam"', '"username"'],
  ["export const a = User.query().orderBy('usernam')", '"usernam"', '"username"'],
  ["export const a = User.query().sum('username')", '"username"', 'NumericFields<'],
  ["export const a = User.query().average('email')", '"email"', 'NumericFields<'],
  ["export const a = User.increment(1, 'username')", '"username"', 'NumberFields<'],
  ["export const a = User.query().countBy('agee')", '"agee"', '"age"'],
  ["export const a = User.query().search(['usernam'], 'x')", '"usernam"', '"username"'],
  ["export const a = User.pick('usernam')", '"usernam"', '"username"'],
  ["export const a = User.upsert(user, { by: 'usernam' })", '"usernam"', '"username"'],
  ["export const a = User.createUnlessThere(user, { by: ['usernam'] })", '"usernam"', '"username"'],
  ["export const a = User.view({ fields: ['usernam'] })", '"usernam"', '"username"'],
  [
    "export const a = User.create({ username: 'ann', password: 'x' })",
    "'returnedByPermitOrPermitValues'",
  ],
  [
    "export const a = User.create(permitValues({ username: 'ann' }, 'username'))",
    "'password' is missing",
    'readonly username',
  ],
  [
    "export const a = User.findById('1')",
    "'string' is not assignable to parameter of type 'number'",
  ],
  [
    "export const a = User.query().select('id').findAll().then((rows) => rows[0]!.username)",
    "'username' does not exist on type",
    '"id"',
  ],
  ["export const a = unique(User, 'usernam')", '"usernam"', '"username"'],
  ["export const a = belongsTo(Article, 'authrId', User)", '"authrId"', '"authorId"'],
  ["export const a = FwModel.kysely({ User }).selectFrom('articles')", '"articles"', '"users"'],
  [
    "export const a = Total.create(permitValues({ total: 1 }, 'total'))",
    "'create'",
    'ReadOnlyModel<"totals"',
  ],
  ['export const a = Total.deleteById(1)', "'deleteById'", 'ReadOnlyModel<"totals"'],
  ['export const a = Total.updateById(1)', "'updateById'", 'ReadOnlyModel<"totals"'],
  [
    "export const a = Total.where({ total: 1 }).updateAll(permitValues({ total: 2 }, 'total'))",
    'TheModelIsReadOnly<"totals">',
  ],
  [
    "export const a = Total.query().select('total').orderBy('total').deleteAll()",
    'TheModelIsReadOnly<"totals">',
  ],
  [
    "export class A extends FwResource(FwController, { ...totals, createFormStrongParameters: Total.pick('total') }) {}",
    'createWithPermittedAttributes',
    'ReadOnlyModel<"totals"',
  ],
  [
    "export class A extends FwResource(FwController, { model: Article, resourcesName: 'articles', resourceName: 'article', createFormStrongParameters: Article.pick('title') }) { override readonly model = Tag }",
    "Property 'model'",
    'FwModel<"articles"',
  ],
  [
    "export const a = resource(Totals, { only: ['create'] })",
    '"create"',
    '"index" | "indexApi" | "show"',
  ],
  ['export const a = resource(Totals).newUrl', "'newUrl' does not exist"],
  ['export const a = resource(Names).showUrl', "'showUrl' does not exist"],
  [
    'export class A extends Totals { override createForm() { return this.validation(this.params) } }',
    "'override'",
    "'Totals'",
  ],
]

const folder = mkdtempSync(join(tmpdir(), 'fw-model-types-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The messages of the compiler by file. */
const messages = new Map<string, string>()

beforeAll(() => {
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  write('package.json', '{ "type": "module" }')
  const base = join(repository, 'test/support/tsconfig.app.json')
  write('tsconfig.json', JSON.stringify({ extends: base, include: ['*.ts'] }))
  write('models.ts', models)
  for (const [at, code] of right.entries()) write(`right${at}.ts`, imports + code)
  for (const [at, [code]] of wrong.entries()) write(`wrong${at}.ts`, imports + code)
  const tsc = join(repository, 'node_modules/.bin/tsc')
  const { stdout } = spawnSync(tsc, ['-p', folder, '--pretty', 'false', '--noErrorTruncation'], {
    cwd: folder,
    encoding: 'utf8',
  })
  for (const block of stdout.split(/\n(?=\S)/)) {
    const [, file = 'other'] = /^(\w+)\.ts\(/.exec(block) ?? []
    messages.set(file, `${messages.get(file) ?? ''}${block}\n`)
  }
})

test('there are thirty of each', () => {
  expect(right.length).toBeGreaterThanOrEqual(30)
  expect(wrong.length).toBeGreaterThanOrEqual(30)
  expect(messages.get('models')).toBeUndefined()
})

test.each(right.map((code, at) => [code, at] as const))('compiles: %s', (_code, at) => {
  expect(messages.get(`right${at}`)).toBeUndefined()
})

test.each(wrong.map(([code, ...says], at) => [code, at, says] as const))(
  'one line names the mistake: %s',
  (_code, at, says) => {
    const lines = (messages.get(`wrong${at}`) ?? '').split('\n')
    const naming = lines.filter((line) => says.every((text) => line.includes(text)))
    expect(naming.length === 0 ? lines : []).toEqual([])
  },
)
