/** `fw g authentication`: the files that it writes and removes, and the check and the tests of the generated accounts. */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  change,
  contents,
  destroy,
  fw,
  generate,
  linkSources,
  newFolder,
  planned,
  removeFolder,
} from './folder.ts'

let root: string
beforeEach(() => {
  root = newFolder()
})
afterEach(() => removeFolder(root))
const text = (path: string) => readFileSync(join(root, path), 'utf8')
const resources = 'src/main/resources'
/** An object that had many members keeps a line for each. */
const withoutLines = (content: string) => content.replace(/,?\s+/g, ' ')

it('writes accounts once, mounts them, and takes them away again', () => {
  const before = contents(root)
  generate(root, 'authentication')
  expect(text('src/main/bootstrap.ts')).toContain("new FwSessionInitializer().mount(ctx, '/*')")
  expect(text('src/main/controller/application-controller.ts')).toContain('  CurrentUser,\n) {')
  expect(planned(root, 'authentication').notes).toEqual([])
  expect([...new Set(generate(root, 'authentication').map(({ done }) => done))]).toEqual([
    'unchanged',
  ])
  destroy(root, 'authentication')
  const after = contents(root)
  for (const [path, content] of Object.entries(before))
    expect([path, withoutLines(after[path]!)]).toEqual([path, withoutLines(content)])
  const left = Object.keys(after).filter((path) => !Object.hasOwn(before, path))
  // Tables that other parts of the application may use.
  expect(left.map((path) => path.replace(/V\d+__/, ''))).toEqual([
    'db/migration/create_fw_sessions.sql',
    'db/migration/create_fw_attempts.sql',
    'db/migration/create_fw_jobs.sql',
    'src/main/controller/api-controller.ts',
    'src/main/webapp/WEB-INF/mail/layouts/default.html.ssp',
    'src/main/webapp/WEB-INF/mail/layouts/default.txt.ssp',
  ])
  expect(text('src/main/controller/api-controller.ts')).not.toContain('CurrentUserByToken')
})

it.each([
  ['--no-totp --no-passkeys --no-api-tokens', 548],
  ['', 900],
])(
  'has few lines without tests and views, comments and blank lines included: %s at most %i',
  (options, most) => {
    const lines = generate(root, `authentication ${options}`.trimEnd())
      .filter(({ path, done }) => done === 'created' && /^src\/main\/.*\.[jt]s$/.test(path))
      .map(({ path }) => text(path).trimEnd().split('\n').length)
    const count = lines.reduce((sum, own) => sum + own, 0)
    expect(count).toBeLessThanOrEqual(most)
  },
)

it('has its messages in each language of the application that Fw has', () => {
  writeFileSync(join(root, resources, 'messages_de.yml'), 'site:\n  title: Meine\n')
  writeFileSync(join(root, resources, 'messages_pl.yml'), 'site:\n  title: Moja\n')
  const { notes } = planned(root, 'authentication')
  expect(notes).toEqual([
    "Translate the messages of accounts: Fw has none in 'pl'.",
    expect.stringContaining('dependencies in package.json have changed'),
  ])
  generate(root, 'authentication')
  expect(text(`${resources}/messages.yml`)).toContain('  logIn: Log in\n')
  expect(text(`${resources}/messages_de.yml`)).toContain('  logIn: Anmelden\n')
  expect(text(`${resources}/messages_pl.yml`)).toBe('site:\n  title: Moja\n')
})

it('has the same messages in all languages', () => {
  const keys = (value: unknown, path = ''): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => keys(inner, `${path}.${key}`))
      : [path]
  for (const part of ['', '-totp', '-passkeys', '-api-token-pages']) {
    const folder = resolve(import.meta.dirname, `../../templates/authentication${part}/messages`)
    const [english, ...others] = ['en', 'de', 'es', 'fr'].map((language) =>
      keys(parse(readFileSync(`${folder}/${language}.yml.tpl`, 'utf8'))),
    )
    for (const other of others) expect(other).toEqual(english)
  }
})

it('prints what it cannot edit, and keeps an own store of sessions', () => {
  change(root, 'src/main/controller/application-controller.ts', 'extends mix(', 'extends mixed(')
  const bootstrap = 'src/main/bootstrap.ts'
  change(
    root,
    bootstrap,
    '    controllers.',
    '    new FwSessionInitializer(own).mount(ctx)\n    controllers.',
  )
  const { notes, files } = planned(root, 'authentication')
  const changed = expect.stringContaining('dependencies in package.json have changed') as string
  expect(notes).toEqual([expect.stringContaining('extends mix(…, CurrentUser)'), changed])
  const edited = files.find(({ path }) => path === bootstrap)
  expect(edited?.text.match(/FwSessionInitializer/g)).toHaveLength(1)
})

it('mounts no controller that a loop mounts', () => {
  const bootstrap = 'src/main/bootstrap.ts'
  const mount = 'controllers.root.mount(ctx)'
  const counting = `console.log(Object.values(controllers))\n    other.mount(ctx)\n    ${mount}`
  change(root, bootstrap, mount, counting)
  const edited = () => planned(root, 'authentication').files.find(({ path }) => path === bootstrap)
  expect(edited()!.text).toContain('controllers.sessions.mount(ctx)')
  let previous = counting
  for (const loop of [
    'for (const controller of Object.values(controllers)) controller.mount(ctx)',
    'for (const controller of Object.values(controllers)) {\n      controller.mount(ctx)\n    }',
    'Object.values(controllers).forEach((controller) => controller.mount(ctx))',
    'Object.values(controllers)\n      .forEach(each => {\n        each.mount(ctx)\n      })',
  ]) {
    change(root, bootstrap, previous, loop)
    expect(edited()!.text).toContain('sessionOf')
    expect(edited()!.text).not.toContain('controllers.sessions')
    previous = loop
  }
})

it('pins the packages with which Fw tests the code', () => {
  generate(root, 'authentication')
  const { dependencies } = JSON.parse(text('package.json')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  const own = JSON.parse(
    readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8'),
  ) as {
    readonly devDependencies: Readonly<Record<string, string>>
  }
  const { fwjs: _, ...packages } = dependencies
  expect(packages).toEqual(
    Object.fromEntries(Object.keys(packages).map((name) => [name, own.devDependencies[name]])),
  )
  expect(Object.keys(packages)).toEqual([
    '@css-inline/css-inline-wasm',
    '@simplewebauthn/server',
    'nodemailer',
    'otpauth',
    'uqr',
  ])
})

it.each([
  ['--no-totp', /totp|secondFactor|second_factor|recovery/i],
  ['--no-passkeys', /passkey|webauthn/i],
  ['--no-api-tokens', /api-?_?token|CurrentUserByToken|bearer|headersOf/i],
])('leaves nothing of what %s leaves out', (option, words) => {
  generate(root, `authentication ${option}`)
  const found = Object.entries(contents(root)).filter(([path, content]) =>
    words.test(path + content),
  )
  expect(found.map(([path]) => path)).toEqual([])
  expect(() => planned(root, `job clean ${option}`)).toThrow(`${option} is for authentication`)
})

it.each(['authentication user member', 'authentication admin.user', 'authentication login'])(
  'refuses fw g %s',
  (line) => {
    expect(() => planned(root, line)).toThrow(
      expect.objectContaining({ code: 'generate.arguments-invalid' }),
    )
  },
)

/** Adds the controller and the view of docs/accounts.md with a policy, and a test of them. */
function addNotes(): void {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/accounts.md'), 'utf8')
  const block = (start: string) =>
    new RegExp(`^\`\`\`${start}\\n([^]*?)^\`\`\`$`, 'm').exec(page)![1]!
  const controllers = 'src/main/controller/controllers.ts'
  // A policy finds the member `currentUser` of the base.
  const notes = block('ts notes')
    .replace('import { mix, routes }', 'import { authorize, mix, policy, routes }')
    .replace('requireLogin) {', 'requireLogin, authorize(notePolicy)) {')
    .replace(
      'export class',
      'const notePolicy = policy({ index: (user: { id: number } | null) => user !== null })\n\nexport class',
    )
    .replace('    return `', "    this.authorize('index')\n    return `")
  writeFileSync(join(root, 'src/main/controller/notes-controller.ts'), notes)
  writeFileSync(join(root, 'src/main/webapp/WEB-INF/views/_user.html.ssp'), block('ssp'))
  change(
    root,
    controllers,
    'import { root }',
    "import { notes } from './notes-controller.ts'\nimport { root }",
  )
  change(root, controllers, '  root,', '  root,\n  notes,')
  change(
    root,
    'src/main/bootstrap.ts',
    'controllers.root',
    'controllers.notes.mount(ctx)\n    controllers.root',
  )
  writeFileSync(
    join(root, 'src/test/notes.test.ts'),
    `import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { User } from '#model/user'
import { createUser } from '#test/factory/user'

const app = await testApp(Bootstrap)

it('has notes for users', async () => {
  assert.equal((await app.get('/notes')).location, '/login')
  const headers = { accept: 'application/json' }
  assert.equal((await app.get('/notes', { headers })).status, 401)
  const user = (await User.findById(await createUser()))!
  const visitor = app.session().as(user)
  assert.equal((await visitor.get('/notes')).body, \`notes of \${user.email}\`)
  assert.equal((await visitor.get('/account/security')).status, 200)
})
`,
  )
}

it(
  'generates formatted code that passes its check and its tests, with the code of docs/accounts.md',
  { timeout: 400_000 },
  async () => {
    generate(root, 'authentication')
    addNotes()
    linkSources(root)
    expect(await fw(root, 'check')).toMatchObject({ code: 0 })
    const tested = await fw(root, 'test')
    expect(tested.said).toMatch(/fail 0\b/)
    expect(tested.code).toBe(0)
  },
)

it('asks for the second factor without its pages', { timeout: 200_000 }, async () => {
  generate(root, 'authentication')
  const folder = 'src/main/controller'
  const list = `${folder}/controllers.ts`
  for (const [name, file] of [
    ['codes', 'codes-controller.ts'],
    ['secondFactor', 'second-factor-controller.ts'],
  ] as const) {
    rmSync(join(root, folder, file))
    change(root, list, `import { ${name} } from './${file}'\n`, '')
    change(root, list, `  ${name},\n`, '')
    change(root, 'src/main/bootstrap.ts', `    controllers.${name}.mount(ctx)\n`, '')
  }
  change(root, `${folder}/sessions-controller.ts`, 'controller.routes.codes', 'sessions')
  rmSync(join(root, 'src/test/controller/second-factor.test.ts'))
  writeFileSync(
    join(root, 'src/test/without-pages.test.ts'),
    `import assert from 'node:assert/strict'
import { it } from 'node:test'
import { currentDatabase } from 'fwjs/db'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { createSampleAccount } from '#test/factory/account'
import { logIn } from '#test/log-in'

const app = await testApp(Bootstrap)

it('the password alone does not log in', async () => {
  const { id, email } = await createSampleAccount()
  const sql = "insert into second_factors (user_id, sealed_secret, last_step, created_at) values ($1, '', 0, now())"
  await currentDatabase().query({ sql, parameters: [id] })
  const { visitor, response } = await logIn(app, { email })
  assert.equal(response.location, '/login')
  assert.equal((await visitor.get('/account')).location, '/login')
})
`,
  )
  linkSources(root)
  const tested = await fw(root, 'test', 'src/test/without-pages.test.ts')
  expect(tested.said).toMatch(/pass 1\b[^]*fail 0\b/)
})

it.each(['user', 'member', 'user --no-totp --no-passkeys --no-api-tokens'])(
  'formats the code of authentication %s, and its types are right',
  { timeout: 200_000 },
  async (words) => {
    generate(root, `authentication ${words}`)
    linkSources(root)
    const oxfmt = resolve(import.meta.dirname, '../../node_modules/.bin/oxfmt')
    const rules = resolve(import.meta.dirname, '../../.oxfmtrc.json')
    const folders = ['controller', 'job', 'mail', 'model'].map((name) => `src/main/${name}`)
    const args = ['-c', rules, '--check', ...folders, 'src/main/bootstrap.ts', 'src/test']
    const { stdout } = spawnSync(oxfmt, args, { cwd: root, encoding: 'utf8' })
    expect(stdout).toContain('All matched files use the correct format.')
    expect(await fw(root, 'check')).toMatchObject({ code: 0 })
  },
)

it('says that the controllers of an existing API now need a token', () => {
  generate(root, 'api-resource tasks task text:String')
  const { notes } = planned(root, 'authentication')
  const changed = expect.stringContaining('dependencies in package.json have changed') as string
  expect(notes).toEqual([expect.stringContaining('extend ApiController now need a token'), changed])
  expect(planned(root, 'authentication --no-api-tokens').notes).toEqual([changed])
})

describe('in an application without pages', () => {
  beforeEach(async () => {
    await removeFolder(root)
    root = newFolder({ api: true })
  })

  it(
    'gives tokens for a password, protects the API, and passes its check and its tests',
    { timeout: 400_000 },
    async () => {
      generate(root, 'api-resource labels label name:String')
      generate(root, 'authentication member')
      generate(root, 'api-resource tasks task text:String --scope member')
      generate(root, 'api-resource marks mark count:Int --parent labels')
      linkSources(root)
      const oxfmt = resolve(import.meta.dirname, '../../node_modules/.bin/oxfmt')
      const rules = resolve(import.meta.dirname, '../../.oxfmtrc.json')
      const args = ['-c', rules, '--check', 'src']
      const { stdout } = spawnSync(oxfmt, args, { cwd: root, encoding: 'utf8' })
      expect(stdout).toContain('All matched files use the correct format.')
      expect(await fw(root, 'check')).toMatchObject({ code: 0 })
      const tested = await fw(root, 'test')
      expect(tested.said).toMatch(/fail 0\b/)
      expect(tested.code).toBe(0)
    },
  )

  it('is written once, and taken away again', () => {
    const before = contents(root)
    generate(root, 'authentication')
    expect(planned(root, 'authentication').notes).toEqual([])
    const again = generate(root, 'authentication')
    expect([...new Set(again.map(({ done }) => done))]).toEqual(['unchanged'])
    const generated = Object.entries(contents(root)).filter(([path]) => /^src.*\.ts$/.test(path))
    const words = /session|mailed|link_?used|passkey|secondFactor|ApplicationController|render\(/i
    const found = generated.filter(([, content]) =>
      words.test(content.replace('app.session()', '')),
    )
    expect(found.map(([path]) => path)).toEqual([])
    destroy(root, 'authentication')
    const after = contents(root)
    for (const [path, content] of Object.entries(before))
      if (path !== 'src/main/controller/api-controller.ts') expect(after[path]).toBe(content)
    const left = Object.keys(after).filter((path) => !Object.hasOwn(before, path))
    expect(left.map((path) => path.replace(/V\d+__/, ''))).toEqual([
      'db/migration/create_fw_attempts.sql',
      'db/migration/create_fw_jobs.sql',
    ])
  })

  it('refuses options for pages, and an application without bases of controllers', () => {
    for (const option of ['--no-totp', '--no-passkeys', '--no-api-tokens'])
      expect(() => planned(root, `authentication ${option}`)).toThrow('has no pages')
    rmSync(join(root, 'src/main/controller/api-controller.ts'))
    expect(() => planned(root, 'authentication')).toThrow('there is neither')
  })
})
