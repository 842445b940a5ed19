/** The files that generators write, and the arguments that they refuse. Nothing is run. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openProject, findGenerator } from '../../src/tools/generate.ts'
import { diffLines } from '../../src/tools/generate/write-files.ts'
import { change, contents, destroy, generate, newFolder, planned, removeFolder } from './folder.ts'

const scaffold = 'scaffold members member name:String birthday:LocalDate companyId:Option[Long]'
let root: string
beforeEach(() => {
  root = newFolder()
})
afterEach(() => removeFolder(root))
const text = (path: string) => readFileSync(join(root, path), 'utf8')
/** The migration of the tables of jobs, which stays for other jobs. */
const jobTables = /\/V\d+__create_fw_jobs\.sql$/
const done = (outcomes: readonly { readonly done: string }[]) => [
  ...new Set(outcomes.map((outcome) => outcome.done)),
]

describe('a new application', () => {
  it('depends on the versions of TypeScript and Node types that Fw is checked with', () => {
    const own = JSON.parse(readFileSync('package.json', 'utf8'))
    const { devDependencies } = JSON.parse(text('package.json'))
    for (const name of ['typescript', '@types/node'])
      expect(devDependencies[name]).toBe(own.devDependencies[name])
  })

  it('has the launcher, and files whose names npm would not pack', () => {
    expect(text('fw')).toBe(readFileSync('fw', 'utf8'))
    expect(Object.keys(contents(root))).toEqual(
      expect.arrayContaining(['.gitignore', '.dockerignore', '.github/workflows/ci.yml']),
    )
  })

  it('ignores secrets and data in Git and in the image', () => {
    const lines = (file: string) => text(file).split('\n')
    const data = ['db/data', 'db/data.lock', 'db/data-*']
    expect(lines('.gitignore').map((line) => line.replace(/\/$/, ''))).toEqual(
      expect.arrayContaining(['.env', '.env*.local', ...data]),
    )
    expect(lines('.dockerignore')).toEqual(expect.arrayContaining(['.env*', ...data]))
  })

  it('has a Dockerfile that builds and checks the application, and starts it', () => {
    expect(text('Dockerfile')).toMatch(/^RUN \.\/fw build && [^]*^CMD \[.*"start"/m)
  })

  it('has a HEALTHCHECK that succeeds exactly when the liveness path answers 200', async () => {
    const check = /^HEALTHCHECK [^]*?CMD (\[.*\])$/m.exec(text('Dockerfile'))?.[1]
    const [, ...args] = JSON.parse(check ?? '[]') as string[]
    let status = 200
    const server = createServer(({ url }, response) =>
      response.writeHead(url === '/up' ? status : 404).end(),
    )
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { readonly port: number }
    const run = async (env: object): Promise<unknown> => {
      const child = spawn(process.execPath, args, { env: { ...process.env, ...env } })
      return (await once(child, 'exit'))[0]
    }
    expect(await run({ PORT: String(port) })).toBe(0)
    expect(await run({ FW_PORT: String(port), PORT: '1' })).toBe(0)
    status = 503
    expect(await run({ PORT: String(port) })).toBe(1)
    expect(await run({ PORT: '1' })).toBe(1)
  })
})

describe('a migration', () => {
  it.each([
    ['select 1;\n\n-- down\nselect 2;', 'select 1;\n\n-- down\nselect 2;\n'],
    ['select 1;', 'select 1;\n\n-- down\n'],
  ])('contains the given SQL, and a part for reverting it', (sql, wanted) => {
    const [made] = generate(root, `migration add_own ${sql}`)
    expect(text(made!.path)).toBe(wanted)
  })
})

describe('a job', () => {
  it('is written with its test and the tables, and twice changes nothing', () => {
    const line = 'job send-invoice orderId:Long note:String? day:LocalDate'
    const files = Object.keys(contents(root))
    generate(root, line)
    const written = Object.keys(contents(root)).filter((path) => !files.includes(path))
    expect(written.map((path) => path.replace(/V\d+/, 'V'))).toEqual([
      'db/migration/V__create_fw_jobs.sql',
      'src/main/job/send-invoice.ts',
      'src/test/job/send-invoice.test.ts',
    ])
    const code = text('src/main/job/send-invoice.ts')
    expect(code).toContain("export const SendInvoice = job(\n  'send-invoice',\n")
    expect(code).toContain('note: ParamType.optional(ParamType.String)')
    expect(done(generate(root, line))).toEqual(['unchanged'])
    generate(root, 'job other')
    expect(text('src/main/job/other.ts')).toContain("export const Other = job('other', {}, (_, ")
    expect(Object.keys(contents(root)).filter((path) => path.includes('fw_jobs'))).toHaveLength(1)
  })

  it('has the tables by a migration alone, too', () => {
    const [made] = generate(root, 'migration create_fw_jobs')
    expect(text(made!.path)).toContain('CREATE TABLE fw_jobs (')
    expect(text(made!.path)).toContain('-- down\nDROP TABLE fw_job_schedules')
  })

  it('has no relations', () => {
    expect(() => generate(root, 'job invoice order:Option[Order]')).toThrow('fw g job invoice')
  })
})

describe('a migration of columns', () => {
  it('adds them with their constraints and indexes, and removes them again', () => {
    generate(root, 'model company name:String')
    generate(root, 'model member name:String')
    const line =
      'migration add_more_to_members email:email?:unique day:LocalDate?:index company:references kind:enum?:a,b'
    const plan = planned(root, line)
    expect(plan.notes).toEqual([
      expect.stringContaining('src/main/model/member.ts'),
      expect.stringContaining('company_id with a ?'),
    ])
    const [made] = generate(root, line)
    const adds = [
      'alter table members add column email varchar(254) unique;',
      'alter table members add column day date;',
      'alter table members add column company_id bigint not null references companies (id);',
      "alter table members add column kind varchar(1) check (kind in ('a', 'b'));",
      'create index on members (day, id);',
      'create index on members (company_id);',
    ].join('\n')
    const removes = ['kind', 'company_id', 'day', 'email']
      .map((column) => `alter table members drop column ${column};`)
      .join('\n')
    expect(text(made!.path)).toBe(`${adds}\n\n-- down\n${removes}\n`)
    const removed = generate(root, line.replace('add_more_to', 'remove_more_from'))
    expect(text(removed[0]!.path)).toBe(`${removes}\n\n-- down\n${adds}\n`)
    expect(() => generate(root, 'migration add_x_to_members x:Strng')).toThrow(
      'did you mean String',
    )
    expect(text(generate(root, 'migration add_y_to_members select 1')[0]!.path)).toContain(
      'select 1',
    )
  })
})

describe('an attachment', () => {
  const migrations = () =>
    Object.keys(contents(root)).filter((path) => /db\/migration\/V/.test(path))

  it('gets its table before the table that refers to it, once', () => {
    generate(root, 'scaffold members member name:String photo:attachment?')
    generate(root, 'scaffold books book title:String cover:attachment scan:attachment?')
    expect(migrations().map((path) => path.replace(/^.*__/, ''))).toEqual([
      'create_attachments.sql',
      'create_members.sql',
      'create_books.sql',
    ])
    expect(text(migrations()[1]!)).toContain(
      "create trigger members_photo_id after update of photo_id or delete on members\n  for each row execute function delete_attachment('photo_id');",
    )
    expect(text('src/main/controller/controllers.ts').match(/attachments,/g)).toHaveLength(1)
  })

  it('stays in the application after `fw destroy`, which finds it in the model', () => {
    generate(root, 'scaffold members member name:String photo:attachment?')
    const kept = destroy(root, 'scaffold members member').filter((file) => file.done === 'kept')
    expect(kept).toEqual([])
    expect(migrations()).toHaveLength(1)
    expect(text('src/main/bootstrap.ts')).toContain('controllers.attachments.mount(ctx)')
  })

  it('is added to a table and removed from it by a migration', () => {
    generate(root, 'model member name:String')
    const [table, , , added] = generate(root, 'migration add_photo_to_members photo:attachment?')
    expect(table!.path).toMatch(/__create_attachments\.sql$/)
    const [up, down] = text(added!.path).split('-- down\n')
    expect(up).toMatch(
      /add column photo_id uuid unique references attachments \(id\);\ncreate trig/,
    )
    expect(down).toMatch(/^drop trigger members_photo_id on members;\nalter table .* drop column/)
  })

  it('needs a form', () => {
    expect(() => generate(root, 'api-resource members member photo:attachment')).toThrow(
      'Generate members with fw g scaffold: forms upload attachments',
    )
    expect(() => generate(root, 'model member photo:attachment:text')).toThrow('no column type')
  })
})

describe('a join table', () => {
  it('has each pair once, and relations over it in both directions', () => {
    generate(root, 'model post title:String')
    generate(root, 'model user name:String')
    const line = 'model post_author post:references author:references:user --through'
    const files = generate(root, line)
    const read = (part: string) => text(files.find(({ path }) => path.includes(part))!.path)
    expect(read('db/migration')).toContain('  unique (post_id, author_id),\n')
    expect(read('relations')).toContain(
      [
        "export const postAuthorPost = belongsTo(PostAuthor, 'postId', Post)",
        "export const postAuthorAuthor = belongsTo(PostAuthor, 'authorId', User)",
        "export const postAuthors = hasManyThrough(Post, PostAuthor, 'postId', 'authorId', User)",
        "export const userPosts = hasManyThrough(User, PostAuthor, 'authorId', 'postId', Post)",
      ].join('\n'),
    )
    destroy(root, 'model post_author --through')
    expect(() => text('src/main/model/post-author-relations.ts')).toThrow('ENOENT')
    expect(() => generate(root, 'model x post:references name:String --through')).toThrow(
      'joins two others',
    )
    expect(() => generate(root, 'view x --through')).toThrow('--through is for model')
  })
})

describe('a scaffold', () => {
  it('writes controller, model, migration, factory, five views, tests, messages and mounting', () => {
    const files = generate(root, scaffold).map(
      ({ path, done }) => `${done} ${path.replace(/V\d+/, 'V')}`,
    )
    const views = 'src/main/webapp/WEB-INF/views'
    expect(files).toEqual([
      'created src/main/controller/members-controller.ts',
      'created src/main/model/member.ts',
      'created db/migration/V__create_members.sql',
      'created src/test/factory/member.ts',
      ...['_form', 'new', 'edit', 'index', 'show'].map(
        (view) => `created ${views}/members/${view}.html.ssp`,
      ),
      `unchanged ${views}/shared/_field.html.ssp`,
      'unchanged src/test/default-user.ts',
      'created src/test/form/members.ts',
      'created src/test/controller/members-controller.test.ts',
      'created src/test/integration/members.test.ts',
      'created src/test/browser/members.test.ts',
      'modified src/main/controller/controllers.ts',
      'modified src/main/bootstrap.ts',
      'modified src/main/resources/messages.yml',
      'modified src/main/webapp/WEB-INF/layouts/default.ssp',
      `modified ${views}/root/index.html.ssp`,
    ])
  })

  it('has a resource controller with the rules of the fields', () => {
    generate(root, 'scaffold members member name:String birthday:LocalDate')
    const controller = text('src/main/controller/members-controller.ts')
    expect(controller).toMatch(/class MembersController extends FwResource\(/)
    expect(controller).toContain("paramKey('name').is(required, maxLength(512))")
    expect(controller).toContain("paramKey('birthday').is(required, dateFormat)")
  })

  it('pretends: returns the same outcomes and writes nothing', () => {
    const before = contents(root)
    const pretended = generate(root, scaffold, { pretend: true })
    expect(contents(root)).toEqual(before)
    expect(generate(root, scaffold).map(({ done }) => done)).toEqual(
      pretended.map(({ done }) => done),
    )
  })

  it('changes nothing when it is repeated', () => {
    generate(root, scaffold)
    const before = contents(root)
    expect(done(generate(root, scaffold))).toEqual(['unchanged'])
    expect(contents(root)).toEqual(before)
  })

  it('refuses to overwrite a file that differs, shows the difference, and writes nothing', () => {
    generate(root, 'model company name:String')
    generate(root, scaffold)
    change(
      root,
      'src/main/model/member.ts',
      'name: ParamType.String',
      'name: ParamType.NullableString',
    )
    const before = contents(root)
    const again = `${scaffold} nick:String`
    expect(() => generate(root, again)).toThrow(
      expect.objectContaining({
        code: 'generate.file-exists',
        message: expect.stringMatching(/^- {3}name: ParamType\.NullableString,$/m),
      }),
    )
    expect(contents(root)).toEqual(before)
    expect(done(generate(root, again, { force: true }))).toContain('overwritten')
    expect(text('src/main/model/member.ts')).toContain('nick: ParamType.String')
  })

  it('keeps all other text of the files that it edits', () => {
    const file = 'src/main/controller/controllers.ts'
    const own =
      "import { root } from './root-controller.ts' // first\n\n// all of them\nexport const controllers = {\n  root, // the front page\n}\nexport const more = 1\n"
    change(root, file, text(file), own)
    change(
      root,
      'src/main/resources/messages.yml',
      'site:',
      '# ours\nmember:\n  name: "Full name"   # kept\nsite:',
    )
    generate(root, scaffold)
    expect(text(file)).toBe(
      own
        .replace('first\n', "first\nimport { members } from './members-controller.ts'\n")
        .replace('page\n', 'page\n  members,\n'),
    )
    expect(text('src/main/resources/messages.yml')).toMatch(
      /# ours\nmember:\n {2}name: "Full name" +# kept/,
    )
    expect(text('src/main/resources/messages.yml')).toContain('birthday: Birthday')
  })

  it('describes the manual edit of a file with an unexpected shape', () => {
    change(
      root,
      'src/main/bootstrap.ts',
      'initFwApp(ctx: ServletContext)',
      'start(ctx: ServletContext)',
    )
    const { notes } = findGenerator('controller').plan(openProject(root), ['reports'])
    expect(notes).toEqual([
      'src/main/bootstrap.ts could not be edited: call controllers.reports.mount(ctx) in initFwApp.',
    ])
  })

  it.each([
    [
      'scaffold members member name:String:varchar(64) order:String? companyId:Option[Long] on:Boolean',
      '',
    ],
    ['scaffold admin.back.members member name:String', ''],
    [
      'scaffold posts post title:String:unique status:enum:draft,published kind:enum?:a,b price:decimal:10,2 ' +
        'count:Int:index tags:string[] days:LocalDate[] mail:email:unique other_mail:email? token:uuid data:json ' +
        'more:json? root:references?:post order:String:varchar(9):index',
      '',
    ],
    ['model tag', ''],
    ['api-resource orders order text:String', 'src/main/controller/api-controller.ts'],
    ['resource notes note text:String', ''],
    ['controller admin.reports', ''],
    ['model person name:String', ''],
    ['filter audit', ''],
    ['view admin.reports', ''],
    ['job invoice orderId:Long note:String? days:LocalDate[] data:json price:decimal', jobTables],
    ['migration add_phone select 1', ''],
  ])('%s is removed completely', (line, shared) => {
    const before = contents(root)
    generate(root, line)
    expect(Object.keys(contents(root)).length).toBeGreaterThan(Object.keys(before).length)
    // `destroy` reads the fields from the model.
    destroy(root, line.startsWith('migration') ? line : line.replace(/ \w+:.*/, ''))
    const after = contents(root)
    for (const path of Object.keys(after))
      if (path === shared || (shared instanceof RegExp && shared.test(path))) delete after[path]
    expect(after).toEqual(before)
  })

  it('keeps changed files, unless forced', () => {
    generate(root, scaffold)
    const file = 'src/main/controller/members-controller.ts'
    change(root, file, 'dateFormat)', 'dateFormat, past)')
    const kept = () =>
      destroy(root, 'scaffold members member').filter((each) => each.done === 'kept')
    expect(kept().map(({ path }) => path)).toEqual([file])
    expect(text(file)).toContain('past')
    expect(done(destroy(root, 'scaffold members member', { force: true }))).toEqual(['removed'])
  })
})

describe('a field', () => {
  it('of JSON has its type in the model, and an input in both forms', () => {
    generate(root, 'scaffold posts post title:String data:json more:json?')
    expect(text('src/main/model/post.ts')).toContain('  data: json<unknown>(),\n')
    const controller = text('src/main/controller/posts-controller.ts')
    expect(controller).toContain('data: Post.columns.data,\n    more: Post.columns.more,\n')
    expect(controller).not.toContain('updateFormStrongParameters')
    const form = text('src/main/webapp/WEB-INF/views/posts/_form.html.ssp')
    for (const name of ['data', 'more'])
      expect(form).toMatch(new RegExp(`name: '${name}', .*type: 'textarea'`))
    change(root, 'src/main/model/post.ts', 'data: json<unknown>()', 'data: json(dataSchema)')
    const kept = destroy(root, 'scaffold posts post').filter((each) => each.done === 'kept')
    expect(kept.map(({ path }) => path)).toEqual(['src/main/model/post.ts'])
  })

  it('has the digits of a decimal as a rule, so that no value is rounded', () => {
    generate(
      root,
      'scaffold items item price:decimal:6,2 cost:BigDecimal?:numeric(10,3) rate:decimal',
    )
    const controller = text('src/main/controller/items-controller.ts')
    expect(controller).toContain("paramKey('price').is(required, numeric(6, 2))")
    expect(controller).toContain("paramKey('cost').is(numeric(10, 3))")
    expect(controller).toContain("paramKey('rate').is(required, numeric)")
  })

  const migrationOf = (line: string) => {
    const { path } = generate(root, line).find((file) => file.path.includes('__create_'))!
    return text(path)
  }

  it('has a unique value, an index, a check of its labels or a default in the migration', () => {
    generate(root, 'model user name:String')
    const sql = migrationOf(
      'scaffold posts post order:enum:draft,in-print email:email:unique author:references:user day:LocalDate:index ' +
        'price:decimal:6,2 tags:String[] reply:references?:post editor:references?:user:unique',
    )
    expect(sql).toContain(`"order" varchar(8) not null check ("order" in ('draft', 'in-print')),`)
    expect(sql).toContain('email varchar(254) not null unique,')
    expect(sql).toContain('author_id bigint not null references users (id),')
    expect(sql).toContain('price numeric(6, 2) not null,')
    expect(sql).toContain("tags varchar(512)[] not null default '{}',")
    expect(sql).toContain('reply_id bigint references posts (id),')
    expect(sql).toContain('editor_id bigint unique references users (id),')
    expect(sql.match(/^create index .*$/gm)).toEqual(
      [
        'create index on posts (email, id);',
        'create index on posts (author_id);',
        'create index on posts (day, id);',
        'create index on posts (reply_id);',
      ].filter((line) => !line.includes('email')),
    )
    expect(text('src/main/model/post-relations.ts')).toContain(
      "export const postAuthor = belongsTo(Post, 'authorId', User)",
    )
    expect(text('src/test/factory/post.ts')).toContain('email: `ann${count}@example.com`,')
  })

  it('has a browser test that ticks a boolean, and chooses an optional one', () => {
    generate(root, 'scaffold posts post title:String open:Boolean sold:Boolean?')
    const browser = text('src/test/browser/posts.test.ts')
    expect(browser).toContain('const form = postForm()')
    expect(browser).toContain("page.locator('[name=open]').setChecked(form.open === 'true')")
    expect(browser).toContain("page.locator('[name=sold]').selectOption(form.sold)")
  })

  it('has a browser test without variables of the names of fields, which its own variables may have', () => {
    generate(root, 'scaffold posts post title:String status:enum:open,closed page:String as:String')
    const browser = text('src/test/browser/posts.test.ts')
    expect(browser).toContain("for (const name of ['title', 'page', 'as'] as const)")
    expect(browser).toContain("page.locator('[name=status]').selectOption(form.status)")
  })

  it.each([
    ['on:Boolean:unique', 'too few values'],
    ['kind:enum:a,b:unique', 'too few values'],
    ['tags:String[]:index', 'cannot have an index'],
    ['tags:String[]?', 'never optional'],
    ['tags:Option[String[]]', 'never optional'],
    ['data:Boolean[]', 'an array is one of'],
    ['kind:enum', 'status:enum:draft,published'],
    ["kind:enum:a,b'c", 'status:enum:draft,published'],
    ['price:decimal:2,3', 'digits'],
    ['boss:references:employee', 'parent:references?:employee'],
    ['name:String:unique:varchar(3):text', 'name:Type'],
  ])('%s is refused', (word, message) => {
    expect(() => generate(root, `model employee ${word}`)).toThrow(message)
  })
})

describe('a nested resource', () => {
  const inside = 'scaffold members member name:String team:references --parent companies'
  const views = 'src/main/webapp/WEB-INF/views/companies/members'
  beforeEach(() => {
    generate(root, 'scaffold companies company name:String')
    generate(root, 'model team name:String')
  })

  it('has controller, views and tests below the parent, and an ordinary model', () => {
    const files = generate(root, inside).map(({ path }) => path.replace(/V\d+/, 'V'))
    expect(files).toEqual([
      'src/main/controller/company-members-controller.ts',
      'src/main/model/member.ts',
      'src/main/model/member-relations.ts',
      'db/migration/V__create_members.sql',
      'src/test/factory/member.ts',
      ...['_form', 'new', 'edit', 'index', 'show'].map((view) => `${views}/${view}.html.ssp`),
      'src/main/webapp/WEB-INF/views/shared/_field.html.ssp',
      'src/test/default-user.ts',
      'src/test/form/company-members.ts',
      'src/test/controller/company-members-controller.test.ts',
      'src/test/integration/company-members.test.ts',
      'src/test/browser/company-members.test.ts',
      'src/main/controller/controllers.ts',
      'src/main/bootstrap.ts',
      'src/main/resources/messages.yml',
    ])
    expect(text('src/main/bootstrap.ts')).toContain('controllers.companyMembers.mount(ctx)')
    expect(text('src/main/resources/messages.yml')).toMatch(/^companyMember:$/m)
  })

  it('takes the parent from the path: no form and no page contains its key', () => {
    generate(root, inside)
    const controller = text('src/main/controller/company-members-controller.ts')
    expect(controller).toContain(
      "resourcesBasePathPrefix: '/companies/:companyId',\n  parent: { model: Company, field: 'companyId' },",
    )
    expect(controller.match(/companyId/g)).toHaveLength(2)
    expect(text('src/main/model/member.ts')).toContain('companyId: ParamType.Long,\n  name:')
    for (const view of ['_form', 'show', 'index'])
      expect(text(`${views}/${view}.html.ssp`)).not.toMatch(/item\.companyId|name: 'companyId'/)
  })

  it('has the key of the parent in every link, and a link to the parent', () => {
    generate(root, inside)
    const all = ['new', 'edit', 'index', 'show'].map((view) => text(`${views}/${view}.html.ssp`))
    const links = all.join('\n').match(/s\.url\(routes\.companyMembers\.\w+[^)]*/g)!
    expect(links.length).toBeGreaterThan(9)
    for (const link of links) expect(link).toContain('{ companyId: parent.id')
    expect(text(`${views}/index.html.ssp`)).toContain(
      '<a href="${s.url(routes.companies.showUrl, { id: parent.id })}"><bdi>${parent.name}</bdi></a>',
    )
    const { notes } = planned(root, inside)
    expect(notes).toEqual([expect.stringMatching(/views\/companies\/show\.html\.ssp: <a href="\$/)])
  })

  it.each([
    ['company:references', 'not null '],
    ['company:references?', ''],
    ['companyId:Option[Long] company:Option[Company]', ''],
  ])('keeps the position of %s among the fields', (words, rest) => {
    generate(root, `scaffold members member name:String ${words} --parent companies`)
    const files = contents(root)
    const migration = Object.keys(files).find((path) => path.endsWith('create_members.sql'))!
    expect(files[migration]).toContain(
      `  name varchar(512) not null,\n  company_id bigint ${rest}references companies (id),\n`,
    )
    expect(text('src/main/model/member-relations.ts').match(/belongsTo\(/g)).toHaveLength(1)
  })

  it('is removed completely', () => {
    const before = contents(root)
    generate(root, inside)
    destroy(root, 'scaffold members member --parent companies')
    expect(contents(root)).toEqual(before)
  })

  it('keeps the model if another controller uses it', () => {
    const fields = 'company:references name:String'
    generate(root, `scaffold members member ${fields} --parent companies`)
    const before = contents(root)
    generate(root, `scaffold members member ${fields}`)
    destroy(root, 'scaffold members member')
    expect(contents(root)).toEqual(before)
    const { notes } = findGenerator('scaffold').removal(openProject(root), ['companies', 'company'])
    expect(notes).toEqual([
      expect.stringMatching(/company-members-controller\.ts still uses the model/),
    ])
  })

  it('has the namespace of its parent', () => {
    generate(root, 'scaffold admin.shops shop code:Int')
    generate(root, 'api-resource order_lines OrderLine count:Int --parent admin.shops')
    const controller = text('src/main/controller/admin/shop-order-lines-controller.ts')
    expect(controller).toContain("resourcesBasePathPrefix: '/admin/shops/:shopId',")
    expect(controller).toContain("messageResourceName: 'adminShopOrderLine',")
    expect(text('src/test/factory/admin/order-line.ts')).toContain("'#test/factory/admin/shop'")
  })

  it.each([
    ['company', 'generate.parent-invalid', /Did you mean --parent companies\?/],
    ['compnies', 'generate.parent-invalid', /Did you mean --parent companies\?/],
    ['admin.shop', 'generate.parent-invalid', /Did you mean --parent admin\.shops\?/],
    ['films', 'generate.parent-invalid', /fw g scaffold films film name:String/],
    ['root', 'generate.parent-invalid', /root-controller\.ts names no model/],
    ['members', 'generate.name-invalid', /cannot be inside itself/],
    ['company_notes', 'generate.parent-invalid', /nest one level/],
    ['../companies', 'generate.name-invalid', /is invalid/],
  ])('--parent %s: %s', (parent, code, message) => {
    for (const line of ['scaffold members member', 'api-resource admin.shops shop'])
      generate(root, `${line} name:String`)
    generate(root, 'resource notes note text:String --parent companies')
    const before = contents(root)
    const line = `scaffold members member name:String --parent ${parent}`
    expect(() => generate(root, line)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    )
    expect(contents(root)).toEqual(before)
  })

  it.each([
    ['scaffold admin.members member name:String', 'generate.name-invalid', /write members alone/],
    ['scaffold members member', 'generate.arguments-invalid', /Name at least one field/],
    [
      'scaffold members member company:references',
      'generate.arguments-invalid',
      /Name at least one field/,
    ],
    ['model member name:String', 'generate.arguments-invalid', /--parent is for scaffold/],
  ])('%s --parent companies: %s', (line, code, message) => {
    expect(() => generate(root, `${line} --parent companies`)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    )
  })

  it('needs the model of its parent', () => {
    rmSync(join(root, 'src/main/model/company.ts'))
    expect(() => generate(root, inside)).toThrow(
      expect.objectContaining({ code: 'generate.model-missing' }),
    )
  })
})

describe('names and fields', () => {
  it('a namespace is part of folders, paths, objects and the table', () => {
    generate(root, 'scaffold admin.back-office.order_items OrderItem lineText:String')
    expect(text('src/main/controller/controllers.ts')).toContain(
      "import { adminBackOfficeOrderItems } from './admin/back-office/order-items-controller.ts'",
    )
    const controller = text('src/main/controller/admin/back-office/order-items-controller.ts')
    expect(controller).toContain("resourcesBasePathPrefix: '/admin/back_office',")
    expect(controller).toContain("messageResourceName: 'adminBackOfficeOrderItem',")
    expect(text('src/main/model/admin/back-office/order-item.ts')).toContain(
      "model('admin_back_office_order_items'",
    )
  })

  it('Option[T] and T? are the same, and a column type is kept verbatim', () => {
    generate(root, 'model a x:Option[Int] y:String?:varchar(64) z:BigDecimal:numeric(10,2)')
    const sql = Object.entries(contents(root)).find(([path]) => path.endsWith('create_as.sql'))![1]
    expect(sql).toContain('  x integer,\n  y varchar(64),\n  z numeric(10,2) not null,\n')
    expect(text('src/main/model/a.ts')).toContain('x: ParamType.optional(ParamType.Int),')
  })

  it('a reference points to the table of its model', () => {
    generate(root, 'model person name:String')
    generate(root, 'scaffold pets pet name:String person:references')
    const sql = Object.entries(contents(root)).find(([path]) => path.endsWith('create_pets.sql'))!
    expect(sql[1]).toContain('person_id bigint not null references people (id)')
    expect(sql[1]).toContain('create index on pets (person_id);')
    const version = (path: string) => Number(/V(\d+)__/.exec(path)?.[1] ?? 0)
    const others = Object.keys(contents(root)).filter((path) => path !== sql[0])
    expect(version(sql[0])).toBeGreaterThan(Math.max(...others.map(version)))
    expect(text('src/main/model/pet-relations.ts')).toContain(
      "export const petPerson = belongsTo(Pet, 'personId', Person)",
    )
  })

  it.each([
    ['scaffold members', 'generate.arguments-invalid', /fw g scaffold members member name:String/],
    ['scaffold members member', 'generate.arguments-invalid', /Name at least one field/],
    ['scaffold sheep sheep name:String', 'generate.name-invalid', /must differ/],
    ['scaffold members member name:Strng', 'generate.field-invalid', /did you mean String\?/],
    ['scaffold members member name:String: x', 'generate.field-invalid', /column type/],
    ['scaffold members member a:decimal:8,2?', 'generate.field-invalid', /a:decimal\?:8,2/],
    ['scaffold members member a:X b:Y', 'generate.field-invalid', /type 'X'[\s\S]*type 'Y'/],
    ['scaffold members member name:String name:Int', 'generate.field-invalid', /occurs twice/],
    ['scaffold members member id:Long', 'generate.field-invalid', /'id:Long' has a reserved name/],
    ['scaffold members member a:String:x);drop', 'generate.field-invalid', /column type/],
    ['scaffold news new name:String', 'generate.name-invalid', /uses that word/],
    ['scaffold ../x y name:String', 'generate.name-invalid', /is invalid/],
    ['scaffold members member a:references', 'generate.model-missing', /fw g model a name:String/],
    ['scafold members member', 'generate.unknown', /did you mean scaffold\?/],
  ])('%s: %s', (line, code, message) => {
    const before = contents(root)
    expect(() => generate(root, line)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    )
    expect(contents(root)).toEqual(before)
  })
})

it('a diff contains the changes and two lines around them', () => {
  expect(diffLines('a\nb\nc\nd\ne\nf\ng', 'a\nb\nc\nX\ne\nf\ng')).toBe(
    '  …\n  b\n  c\n- d\n+ X\n  e\n  f\n  …'.slice(4),
  )
})
