/** `fw build` and `fw start`: what production starts from, what it refuses, what it tells of a fault and to whom. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyStartedExample, ExampleProcess, removeExample } from '../support/example.ts'

let root: string

beforeAll(async () => {
  root = await copyStartedExample([
    'src/main/resources/application.yml',
    'production:\n',
    'production:\n  db:\n    default:\n      folder: db/data\n  server:\n    hosts: ${SERVER_HOSTS:-}\n',
  ])
  rmSync(join(root, '.fw'), { recursive: true, force: true })
})
afterAll(() => removeExample(root))

const production = {
  FW_ENV: 'production',
  SECRET_KEY_BASE: 'x'.repeat(40),
  SERVER_HOSTS: '127.0.0.1',
}
const view = (name: string): string => join(root, 'src/main/webapp/WEB-INF/views', name)

/** Exit code and what was said. */
async function fw(command: string, env: Record<string, string> = {}, args: string[] = []) {
  const child = new ExampleProcess([command, '--app', root, ...args], { env })
  const { code } = await child.ended
  return { code, said: child.output }
}

async function edited<T>(file: string, text: string, work: () => Promise<T>): Promise<T> {
  const before = readFileSync(file, 'utf8')
  writeFileSync(file, text)
  try {
    return await work()
  } finally {
    writeFileSync(file, before)
  }
}

async function started() {
  const child = new ExampleProcess(['start', '--app', root, '--port', '0', '--host', '127.0.0.1'], {
    env: production,
  })
  const [, url] = await child.waitForOutput(/listening on (http:\/\/[\d.:]+)/)
  const lines = () =>
    child.output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  return { child, url: url!, lines }
}

test('a start before a build is refused', async () => {
  const { code, said } = await fw('start', production, ['--port', '0'])
  expect(code).toBe(1)
  expect(said).toMatch(/WEB-INF\/.* has no generated module in .*: run fw build first\./)
})

test('a build with a mistake fails at its place, and what it leaves is refused', async () => {
  const page = view('members/index.html.ssp')
  await edited(page, `${readFileSync(page, 'utf8')}\n\${nothing}\n`, async () => {
    const { code, said } = await fw('build')
    expect(code).toBe(1)
    expect(said).toMatch(
      /WEB-INF\/views\/members\/index\.html\.ssp:\d+:3 Cannot find name 'nothing'/,
    )
  })
  const { said } = await fw('start', production, ['--port', '0'])
  expect(said).toContain('was generated from: run fw build again. (view.not-generated)')
})

describe('after a build', () => {
  let built: Awaited<ReturnType<typeof fw>>
  beforeAll(async () => {
    built = await fw('build')
  })

  test('views, keys of messages and settings are there', () => {
    expect(built).toEqual({ code: 0, said: expect.stringMatching(/^\d+ templates, 0 mistakes$/m) })
    const files = ['registry.ts', 'config.ts', 'messages.ts', 'views/members/index.html.ssp.ts']
    expect(files.filter((file) => !existsSync(join(root, '.fw', file)))).toEqual([])
  })

  test('a start without hosts and secret is refused, both told', async () => {
    const { code, said } = await fw('start', {}, ['--port', '0'])
    expect(code).toBe(1)
    expect(said).toContain('secretKeyBase')
    expect(said).toContain('server.hosts')
  })

  test('it serves, logs JSON, compiles nothing, and a signal ends it', async () => {
    const before = readFileSync(join(root, '.fw/views/members/index.html.ssp.ts'), 'utf8')
    const { child, url, lines } = await started()
    const page = await fetch(`${url}/members`)
    expect([page.status, await page.text()]).toEqual([200, expect.not.stringContaining('/_fw/')])
    expect((await fetch(`${url}/_fw/reload.js`)).status).toBe(404)
    expect(existsSync(join(root, '.fw/.dev'))).toBe(false)
    expect(readFileSync(join(root, '.fw/views/members/index.html.ssp.ts'), 'utf8')).toBe(before)
    expect(await child.end()).toEqual({ code: 0, signal: null })
    expect(lines().every((line) => typeof line['level'] === 'string')).toBe(true)
  })

  test('views and assets that a deployment moves away: pages are served as before, and the assets are 404', async () => {
    const { child, url } = await started()
    const moved = ['.fw', 'src/main/webapp'].map((path) => join(root, path))
    const style = `${url}/assets/css/application.css`
    expect((await fetch(style)).status).toBe(200)
    for (const folder of moved) renameSync(folder, `${folder}-moved`)
    try {
      expect((await fetch(`${url}/members/new`)).status).toBe(200)
      expect((await fetch(style)).status).toBe(404)
    } finally {
      for (const folder of moved) renameSync(`${folder}-moved`, folder)
    }
    expect((await fetch(style)).status).toBe(200)
    expect(await child.end()).toEqual({ code: 0, signal: null })
  })

  test('a fault in a template: the log names its line, the page only the request’s id', async () => {
    const page = view('members/new.html.ssp')
    const text = `${readFileSync(page, 'utf8')}\n<p>\${s.url(undefined as never)}</p>\n`
    await edited(page, text, async () => {
      expect((await fw('build')).code).toBe(0)
      const { child, url, lines } = await started()
      const answer = await fetch(`${url}/members/new`, { headers: { Accept: 'text/html' } })
      const body = await answer.text()
      await child.end()
      const id = answer.headers.get('x-request-id')!
      expect(answer.status).toBe(500)
      expect(body).toContain(`<code>${id}</code>`)
      expect(body).not.toMatch(/WEB-INF|node_modules|TypeError|\.ts:/)
      const logged = lines().find((line) => line['requestId'] === id)
      const line = text.split('\n').findIndex((one) => one.includes('undefined as never')) + 1
      expect(JSON.stringify(logged)).toContain(`WEB-INF/views/members/new.html.ssp:${line}:`)
    })
    expect((await fw('build')).code).toBe(0)
  }, 120_000)

  test('a template that changed since is refused by name', async () => {
    await edited(view('members/show.html.ssp'), 'changed', async () => {
      const { code, said } = await fw('start', production, ['--port', '0'])
      expect(code).toBe(1)
      expect(said).toContain('WEB-INF/views/members/show.html.ssp is not what')
    })
  })
})

test('fw check --watch tells again after each change, until it is stopped', async () => {
  const child = new ExampleProcess(['check', '--app', root, '--watch'])
  await child.waitForOutput(/templates, 0 mistakes/)
  const page = view('members/index.html.ssp')
  await edited(page, `${readFileSync(page, 'utf8')}\n\${nothing}\n`, async () => {
    await child.waitForOutput(/Cannot find name 'nothing'[\s\S]*templates, 1 mistake\b/)
  })
  await child.waitForOutput(/1 mistake\b[\s\S]*templates, 0 mistakes/)
  expect((await child.end('SIGINT')).signal).toBe('SIGINT')
})
