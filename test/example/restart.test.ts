/** `fw run` while its application changes: new code runs, errors are shown, and no process or lock remains. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parse } from 'node-html-parser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canListChildren, listChildren } from '../support/child-processes.ts'
import { ExampleVisitor } from '../support/example-visitor.ts'
import {
  copyExample,
  ExampleProcess,
  isLocked,
  removeExample,
  runExample,
  type Running,
} from '../support/example.ts'

const repository = resolve(import.meta.dirname, '../..')
let root: string
let running: Running
let visitor: ExampleVisitor

beforeAll(async () => {
  root = copyExample()
  running = await runExample(root)
  visitor = new ExampleVisitor(running.url)
})
afterAll(async () => {
  await running?.process.end('SIGKILL')
  await removeExample(root)
})

const controller = 'src/main/controller/root-controller.ts'
const redirect = 'return this.redirect(this.url(members.indexUrl))'
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const original = () => readFileSync('examples/members/' + controller, 'utf8')

/** Saves like an editor: renames a new file over the old one. */
function save(file: string, text: string): void {
  writeFileSync(join(root, `${file}~`), text)
  renameSync(join(root, `${file}~`), join(root, file))
}

/** Requests until the response matches, because the watcher and the restart take time. */
async function eventually(path: string, expected: RegExp | string) {
  let answer: Awaited<ReturnType<typeof visitor.get>> | undefined
  await becomes(async () => (answer = await visitor.get(path)).body).toMatch(expected)
  return answer!
}

/** Polls until the expectation holds, with time for a process to start. */
const becomes = <T>(read: () => T) =>
  // oxlint-disable-next-line vitest/require-awaited-expect-poll -- the caller awaits it
  expect.poll(read, { interval: 20, timeout: 30_000 })

const withCode = (line: string) => original().replace(redirect, () => line)

test('new code handles requests after a change; requests during the restart wait for it', async () => {
  save(controller, withCode("return 'first change'"))
  await eventually('/', 'first change')
  expect(running.process.output).toContain(`restarted: ${controller} changed`)
})

test('after several quick changes the last one runs, and no request fails meanwhile', async () => {
  const asked: Promise<number>[] = []
  for (let n = 0; n < 2; n++) {
    save(controller, withCode(`return 'change ${n}'`))
    asked.push(visitor.get('/members').then(({ status }) => status))
    await visitor.get('/members')
  }
  await eventually('/', 'change 1')
  expect(new Set(await Promise.all(asked))).toEqual(new Set([200]))
})

test.each([
  ['it has a syntax error', withCode('let a = 1; let a = 2'), `${controller}:8:20`, /let a/],
  ['it throws', `${original()}\nthrow new Error('of mine')\n`, `${controller}:16:7`, /of mine/],
])('code that does not start shows a page: %s', async (_name, text, location, mark) => {
  save(controller, text)
  const { status, body } = await eventually('/members', 'The application does not run')
  expect(status).toBe(500)
  const page = parse(body)
  expect(page.querySelector('h2')!.text).toBe(location)
  const [, marked] = /<mark>(.*?)<\/mark>/.exec(body)!
  expect(marked!.replace(/<[^>]*>/g, '')).toMatch(mark)
  expect(page.querySelector('h2 a')!.getAttribute('href')).toMatch(/^vscode:\/\/file\/.*:\d+:\d+$/)
  expect(body).toContain('/_fw/reload.js')
  save(controller, withCode("return 'fixed'"))
  await eventually('/', 'fixed')
})

test('changed messages and new migrations take effect; a failing migration shows a page', async () => {
  const messages = 'src/main/resources/messages.yml'
  save(messages, `${read(messages)}\nown: text of my own\n`)
  save(controller, withCode("return this.i18n.get('own') ?? 'none yet'"))
  await eventually('/', 'text of my own')
  const migration = 'db/migration/V20300101000000__add_notes.sql'
  save(migration, 'create table notes (id bigserial primary key, text nonsense);')
  await eventually('/', /nonsense/)
  save(migration, 'create table notes (id bigserial primary key, text text);')
  const model = "import { currentDatabase } from 'fwjs/db'\n"
  const query = "await currentDatabase().query({ sql: 'select * from notes', parameters: [] })"
  const code = withCode(`return \`notes: \${(${query}).rows.length}\``)
  save(controller, model + code.replace('  index()', '  async index()'))
  await eventually('/', 'notes: 0')
})

test('a crash shows a page, and the next change restarts the application', async () => {
  save(
    controller,
    withCode("setImmediate(() => { throw new Error('thrown outside') }); return 'ends soon'"),
  )
  // The crash may break the request that causes it.
  const page = await eventually('/', 'thrown outside')
  expect(parse(page.body).querySelector('h2')!.text).toContain(controller)
  save(controller, original())
  expect((await eventually('/members', '<h1>Members')).status).toBe(200)
})

test(
  'a test generated from an error contains the rows that the request read, fails like the request, and passes after the fix',
  {
    timeout: 120_000,
  },
  async () => {
    const file = 'src/main/controller/members-controller.ts'
    const valid = read(file)
    const fields = { name: 'Ann', birthday: '2000-01-02', password: 'hush' }
    await visitor.get('/members/new')
    await visitor.post('/members', fields)
    const broken = valid
      .replace('newInput() {', "newInput() {\n    this.session.set('userId', 7)")
      .replace(
        'async create() {',
        "async create() {\n    const [one] = await Member.findAll()\n    if (this.session.get('userId') === 7) throw new TypeError(`no cart of 7 for ${one?.name}`)",
      )
    save(file, broken)
    await eventually('/members/new', '<form')
    let page = ''
    await becomes(async () => {
      await visitor.get('/members/new')
      return (page = (await visitor.post('/members', fields)).body)
    }).toContain('no cart of 7 for Ann')
    const [, id] = /test:from-error (?:-- )?([\w-]+)/.exec(page)!

    const writing = new ExampleProcess(['test:from-error', '--app', root, '--', id!])
    expect(await writing.ended).toEqual({ code: 0, signal: null })
    expect(writing.output).toContain('omitted or redacted: form password')
    const [, path] = /created +(src\/test\/error\/post-members-\w+\.test\.ts)/.exec(writing.output)!
    expect(writing.output).toContain(`It fails as the request did: TypeError: no cart of 7 for Ann`)
    expect(read(path!)).toContain('app.session({ attributes: { userId: 7 } })')
    expect(read(path!)).toMatch(/await app\.insertRows\('members', \[\s+\{ id: \d+, name: 'Ann',/)
    expect(read(path!)).not.toContain('hush')

    save(file, valid)
    const passing = new ExampleProcess(['test', '--app', root, path!])
    expect([await passing.ended, passing.output]).toEqual([
      { code: 0, signal: null },
      expect.stringMatching(/pass 1\n/),
    ])
  },
)

test('a session and its values survive a restart', async () => {
  save(
    controller,
    withCode(
      "this.session.set('n', 1 + (this.session.getAs('n', ParamType.Int) ?? 0)); return `n ${this.session.get('n')}`",
    ).replace('{ routes }', '{ ParamType, routes }'),
  )
  await eventually('/', /^n 1</)
  save(controller, read(controller).replace('`n $', '`again $'))
  await eventually('/', /^again \d+</)
  expect((await visitor.get('/')).body).not.toMatch(/^again 1</)
})

test('a change during a request neither breaks its response nor loses its session', async () => {
  const second = join(root, 'src/main/second.ts')
  const mark = join(root, 'under-way')
  const slow = withCode(`
    this.session.set('kept', 'by the slow one')
    writeFileSync(${JSON.stringify(mark)}, '')
    const stopping = new Promise<void>((resolve) => process.on('message', (order) => 'stop' in (order as { fw: object }).fw && resolve()))
    return stopping.then(async () => {
      const seen = new Promise((resolve) => new FileWatcher([${JSON.stringify(dirname(second))}], resolve))
      writeFileSync(${JSON.stringify(second)}, 'export {}')
      await seen
      return 'slow answer'
    })`)
  save(
    controller,
    `import { writeFileSync } from 'node:fs'\n// The command uses the same watcher, and started it before.\nimport { FileWatcher } from ${JSON.stringify(join(repository, 'src/tools/dev.ts'))}\nconsole.log('slow code loaded')\n${slow}`,
  )
  await becomes(async () => {
    await visitor.get('/members')
    return running.process.output
  }).toContain('slow code loaded')
  const answer = visitor.get('/')
  await becomes(() => existsSync(mark)).toBe(true)
  save(controller, withCode("return `kept ${this.session.get('kept')}`"))
  expect((await answer).body).toContain('slow answer')
  await eventually('/', 'kept by the slow one')
})

const isAlive = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2] !== 'Z'
  } catch {
    return false
  }
}
async function waitForEnd(pids: readonly number[]): Promise<void> {
  await becomes(() => pids.filter(isAlive)).toEqual([])
}

test.runIf(canListChildren)('Ctrl-C and kill -9 leave no process and no lock', async () => {
  const killed = listChildren(running.process.pid)
  expect(killed.length).toBeGreaterThan(0)
  await running.process.end('SIGKILL')
  await waitForEnd(killed)

  running = await runExample(root)
  expect((await new ExampleVisitor(running.url).get('/members')).status).toBe(200)
  const stopped = listChildren(running.process.pid)
  for (const pid of stopped) process.kill(pid, 'SIGINT')
  expect(await running.process.end('SIGINT')).toEqual({ code: 0, signal: null })
  await waitForEnd(stopped)
  expect(isLocked(root)).toBe(false)
})
