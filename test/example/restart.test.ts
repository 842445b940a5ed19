/** `fw run` while its application changes: new code answers, mistakes are shown, and nothing is left behind. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parse } from 'node-html-parser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canListChildren, childrenOf } from '../support/child-processes.ts'
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
  removeExample(root)
})

const controller = 'src/main/controller/root-controller.ts'
const redirect = 'return this.redirect(this.url(members.indexUrl))'
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const original = () => readFileSync('examples/members/' + controller, 'utf8')

/** As editors do: a file of its own takes the place of the old one. */
function save(file: string, text: string): void {
  writeFileSync(join(root, `${file}~`), text)
  renameSync(join(root, `${file}~`), join(root, file))
}

/** Asks until what is changed is seen: the change has to reach the watcher, the end of a process its parent. */
async function eventually(path: string, expected: RegExp | string) {
  let answer: Awaited<ReturnType<typeof visitor.get>> | undefined
  await becomes(async () => (answer = await visitor.get(path)).body).toMatch(expected)
  return answer!
}

/** A process has to start before it is so. */
const becomes = <T>(ask: () => T) =>
  // oxlint-disable-next-line vitest/require-awaited-expect-poll -- whoever calls it awaits it
  expect.poll(ask, { interval: 20, timeout: 30_000 })

const codeOf = (line: string) => original().replace(redirect, () => line)

test('a change of code is answered by the new code; a request that comes while it restarts waits for it', async () => {
  save(controller, codeOf("return 'first change'"))
  await eventually('/', 'first change')
  expect(running.process.said).toContain(`restarted: ${controller} changed`)
})

test('several changes at once end with the last, and no request fails meanwhile', async () => {
  const asked: Promise<number>[] = []
  for (let n = 0; n < 2; n++) {
    save(controller, codeOf(`return 'change ${n}'`))
    asked.push(visitor.get('/members').then(({ status }) => status))
    await visitor.get('/members')
  }
  await eventually('/', 'change 1')
  expect(new Set(await Promise.all(asked))).toEqual(new Set([200]))
})

test.each([
  ['the engine refuses it', codeOf('let a = 1; let a = 2'), `${controller}:8:20`, /let a/],
  ['it throws', `${original()}\nthrow new Error('of mine')\n`, `${controller}:16:7`, /of mine/],
])('code that does not start is a page: %s', async (_name, text, place, mark) => {
  save(controller, text)
  const { status, body } = await eventually('/members', 'The application does not run')
  expect(status).toBe(500)
  const page = parse(body)
  expect(page.querySelector('h2')!.text).toBe(place)
  expect(/<mark>&gt; +\d+ \| ([^<]*)/.exec(body)?.[1]).toMatch(mark)
  expect(body).toContain('/_fw/reload.js')
  save(controller, codeOf("return 'mended'"))
  await eventually('/', 'mended')
})

test('a message, and a migration, take effect; one that fails is shown', async () => {
  const messages = 'src/main/resources/messages.yml'
  save(messages, `${read(messages)}\nown: text of my own\n`)
  save(controller, codeOf("return this.i18n.get('own') ?? 'none yet'"))
  await eventually('/', 'text of my own')
  const migration = 'db/migration/V20300101000000__add_notes.sql'
  save(migration, 'create table notes (id bigserial primary key, text nonsense);')
  await eventually('/', /nonsense/)
  save(migration, 'create table notes (id bigserial primary key, text text);')
  const model = "import { currentDatabase } from 'fwjs/db'\n"
  const query = "await currentDatabase().query({ sql: 'select * from notes', parameters: [] })"
  const code = codeOf(`return \`notes: \${(${query}).rows.length}\``)
  save(controller, model + code.replace('  index()', '  async index()'))
  await eventually('/', 'notes: 0')
})

test('a process that ends by itself is told of, and the next change starts it again', async () => {
  save(
    controller,
    codeOf("setImmediate(() => { throw new Error('thrown outside') }); return 'ends soon'"),
  )
  // The answer of the request that ends it may go under with it.
  const page = await eventually('/', 'thrown outside')
  expect(parse(page.body).querySelector('h2')!.text).toContain(controller)
  save(controller, original())
  expect((await eventually('/members', '<h1>Members')).status).toBe(200)
})

test(
  'a test written from an error fails as the request did, and passes once the code is mended',
  {
    timeout: 120_000,
  },
  async () => {
    const file = 'src/main/controller/members-controller.ts'
    const sound = read(file)
    const broken = sound
      .replace('newInput() {', "newInput() {\n    this.session.set('userId', 7)")
      .replace(
        'async create() {',
        "async create() {\n    if (this.session.get('userId') === 7) throw new TypeError('no cart of 7')",
      )
    save(file, broken)
    await eventually('/members/new', '<form')
    const fields = { name: 'Ann', birthday: '2000-01-02', password: 'hush' }
    let page = ''
    await becomes(async () => {
      await visitor.get('/members/new')
      return (page = (await visitor.post('/members', fields)).body)
    }).toContain('no cart of 7')
    const [, id] = /test:from-error (?:-- )?([\w-]+)/.exec(page)!

    const writing = new ExampleProcess(['test:from-error', '--app', root, '--', id!])
    expect(await writing.ended).toEqual({ code: 0, signal: null })
    expect(writing.said).toContain('left out or hidden: form password')
    const [, path] = /created +(src\/test\/error\/post-members-\w+\.test\.ts)/.exec(writing.said)!
    expect(writing.said).toContain(`It fails as the request did: TypeError: no cart of 7`)
    expect(read(path!)).toContain('app.session({ attributes: { userId: 7 } })')
    expect(read(path!)).not.toContain('hush')

    save(file, sound)
    const passing = new ExampleProcess(['test', '--app', root, path!])
    expect([await passing.ended, passing.said]).toEqual([
      { code: 0, signal: null },
      expect.stringMatching(/pass 1\n/),
    ])
  },
)

test('a session, and what it holds, outlive a restart', async () => {
  save(
    controller,
    codeOf(
      "this.session.set('n', 1 + (this.session.getAs('n', ParamType.Int) ?? 0)); return `n ${this.session.get('n')}`",
    ).replace('{ routes }', '{ ParamType, routes }'),
  )
  await eventually('/', /^n 1</)
  save(controller, read(controller).replace('`n $', '`again $'))
  await eventually('/', /^again \d+</)
  expect((await visitor.get('/')).body).not.toMatch(/^again 1</)
})

test('a change while what ran before still answers cuts no answer and loses no session', async () => {
  const second = join(root, 'src/main/second.ts')
  const mark = join(root, 'under-way')
  const slow = codeOf(`
    this.session.set('kept', 'by the slow one')
    writeFileSync(${JSON.stringify(mark)}, '')
    const stopping = new Promise<void>((resolve) => process.on('message', (order) => 'stop' in (order as { fw: object }).fw && resolve()))
    return stopping.then(async () => {
      const seen = new Promise((resolve) => new FileChanges([${JSON.stringify(dirname(second))}], resolve))
      writeFileSync(${JSON.stringify(second)}, 'export {}')
      await seen
      return 'slow answer'
    })`)
  save(
    controller,
    `import { writeFileSync } from 'node:fs'\n// The command watches in this way, and began before.\nimport { FileChanges } from ${JSON.stringify(join(repository, 'src/dev.ts'))}\nconsole.log('slow code loaded')\n${slow}`,
  )
  await becomes(async () => {
    await visitor.get('/members')
    return running.process.said
  }).toContain('slow code loaded')
  const answer = visitor.get('/')
  await becomes(() => existsSync(mark)).toBe(true)
  save(controller, codeOf("return `kept ${this.session.get('kept')}`"))
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
async function gone(pids: readonly number[]): Promise<void> {
  await becomes(() => pids.filter(isAlive)).toEqual([])
}

test.runIf(canListChildren)(
  'Ctrl-C, and kill -9, leave no process and no lock that holds',
  async () => {
    const killed = childrenOf(running.process.pid)
    expect(killed.length).toBeGreaterThan(0)
    await running.process.end('SIGKILL')
    await gone(killed)

    running = await runExample(root)
    expect((await new ExampleVisitor(running.url).get('/members')).status).toBe(200)
    const stopped = childrenOf(running.process.pid)
    for (const pid of stopped) process.kill(pid, 'SIGINT')
    expect(await running.process.end('SIGINT')).toEqual({ code: 0, signal: null })
    await gone(stopped)
    expect(isLocked(root)).toBe(false)
  },
)
