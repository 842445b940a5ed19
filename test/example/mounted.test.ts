/** The example inside other servers: its links include the mount path, and the server handles other paths. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyStartedExample, ExampleProcess, listening, removeExample } from '../support/example.ts'
import { ExampleVisitor } from '../support/example-visitor.ts'

/** The programs of docs/mounting.md: the code below the heading of each framework. */
const page = readFileSync(resolve(import.meta.dirname, '../../docs/mounting.md'), 'utf8')
const program = (framework: string) =>
  new RegExp(`^## ${framework}$[\\s\\S]*?^\`\`\`ts\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)![1]!

/** Bun is tested if it is on PATH: `scripts/with-bun.sh` adds it. */
const bun = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'bun'))
  .find((file) => existsSync(file))
const servers = ['Express', 'Fastify', ...(bun === undefined ? [] : ['Bun'])]

describe.each(servers)('in %s', (framework) => {
  let root: string
  let server: ExampleProcess
  let visitor: ExampleVisitor

  beforeAll(async () => {
    root = await copyStartedExample()
    const file = join(root, 'src/main/server.ts')
    writeFileSync(file, program(framework))
    if (framework !== 'Express') {
      const settings = join(root, 'src/main/resources/application.yml')
      writeFileSync(settings, `contextPath: /shop\n${readFileSync(settings, 'utf8')}`)
    }
    const started = await listening(
      new ExampleProcess([], {
        env: { PORT: '0' },
        script: file,
        ...(framework === 'Bun' ? { runtime: bun! } : {}),
      }),
    )
    server = started.process
    visitor = new ExampleVisitor(started.url)
  })
  afterAll(async () => {
    await server?.end('SIGKILL')
    await removeExample(root)
  })

  test('a member is created, listed and shown below the mount path', async () => {
    expect(await visitor.all('/shop/members/new', 'form')).toHaveLength(1)
    const ann = { name: 'Ann', birthday: '2000-01-02', countryId: '' }
    const saved = await visitor.post('/shop/members', ann)
    expect(saved).toMatchObject({ status: 302, location: '/shop/members' })
    expect(await visitor.all('/shop/members', '[role=status]')).toEqual(['The member was created.'])
    expect(await visitor.all('/shop/members', 'tbody a')).toEqual(['Ann'])
    expect(await visitor.all('/shop/members/1', 'h1')).toEqual(['Ann'])
  })

  test('every link of a page points into the application', async () => {
    const { body } = await visitor.get('/shop/members/new')
    const links = [...body.matchAll(/(?:href|src|action)="([^"]*)"/g)].map((found) => found[1]!)
    expect(links.length).toBeGreaterThan(3)
    for (const link of links) {
      expect(link).toMatch(/^\/shop\//)
      expect(await visitor.get(link)).toMatchObject({ status: 200 })
    }
  })

  test('the application handles invalid input and missing records', async () => {
    const refused = await visitor.post('/shop/members', { name: 'A' })
    expect(refused.status).toBe(400)
    expect(refused.body).toContain('name-error')
    expect(await visitor.get('/shop/members/999999')).toMatchObject({
      status: 404,
      body: expect.stringContaining('Not found'),
    })
  })

  test('the framework handles paths without a route, below the mount path and elsewhere', async () => {
    expect(await visitor.get('/health')).toMatchObject({ status: 200, body: 'fine' })
    for (const path of ['/nowhere', '/shop/nowhere', '/members']) {
      const { status, body } = await visitor.get(path)
      // A fetch handler has no `next`, so the application responds.
      expect([path, status, body]).toEqual([
        path,
        404,
        framework === 'Bun' ? expect.stringContaining('Not found') : 'nothing here',
      ])
    }
  })
})
