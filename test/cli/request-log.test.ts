/** The access log of `fw run`: one line for each request, with secrets redacted. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyExample, removeExample, runExample, type Running } from '../support/example.ts'

let root: string
let running: Running
beforeAll(async () => {
  const file = 'src/main/controller/root-controller.ts'
  root = copyExample(
    [
      file,
      "r.get('/', 'index').as('index'),",
      `r.get('/', 'index').as('index'),
  resetUrl: r.delete('/resets/:token/:page', () => 'reset'),
  expiredUrl: r.get('/resets/:token/expired', (c) => c.pass()),
  closedUrl: r.get('/invites/:token', { when: () => asked() }, () => 'closed'),
  inviteUrl: r.get('/invites/:id', () => 'open'),`,
    ],
    [
      file,
      'export const root',
      "function asked() {\n  console.log('the condition was asked')\n  return false\n}\n\nexport const root",
    ],
    [
      'src/main/bootstrap.ts',
      'controllers.root',
      'new MethodOverride().mount(ctx)\n    controllers.root',
    ],
    ['src/main/bootstrap.ts', 'FwLifeCycle,', 'FwLifeCycle, MethodOverride,'],
  )
  running = await runExample(root)
})
afterAll(async () => {
  await running.process.end('SIGKILL')
  await removeExample(root)
})

test.each([
  ['DELETE', '/resets/hush/first', '/resets/[redacted]/first 200'],
  ['DELETE', '/resets/h%75sh/second?page=1', '/resets/[redacted]/second?page=1 200'],
  ['POST', '/resets/hush/third?_method=delete', '/resets/[redacted]/third?_method=delete 200'],
  [
    'GET',
    '/?api_key=hush&q=4&user%5Bpassword%5D=hush&a=%zz',
    '/?api_key=[redacted]&q=4&user%5Bpassword%5D=[redacted]&a=%zz 302',
  ],
  // Of routes that passed, or whose condition did not hold, a name is as secret.
  ['GET', '/resets/hush/expired', '/resets/[redacted]/expired 405'],
  ['GET', '/invites/hush', '/invites/[redacted] 200'],
  ['GET', '/none?next=http://me:hush@host/5', '/none?next=http://[redacted]@host/5 404'],
])('%s %s', async (method, target, line) => {
  await fetch(running.url + target, { method, redirect: 'manual' })
  const literal = `${method} ${line}`.replace(/[?[\].]/g, '\\$&')
  await running.process.waitForOutput(new RegExp(literal))
  expect(running.process.output).not.toMatch(/hush|h%75sh/)
})

test('the page of a 404 says whether a route matches, and lists those that come near', async () => {
  const get = async (path: string) =>
    (await fetch(running.url + path, { headers: { Accept: 'text/html' } })).text()
  expect(await get('/membrs')).toContain('<code>GET /members</code>')
  for (const path of ['/members/987654321', '/members/abc'])
    expect(await get(path)).toContain(
      `the route <code>GET /members/:id</code> matches <code>GET ${path}</code>, but its action found nothing there`,
    )
  const post = await fetch(`${running.url}/membrs`, { method: 'POST' })
  expect(await post.text()).toContain('<ul><li><code>POST /members</code></li>')
})

test('the access log does not evaluate the conditions of routes again', async () => {
  const asked = () => running.process.output.split('the condition was asked').length
  const before = asked()
  await fetch(`${running.url}/invites/12?once`)
  await running.process.waitForOutput(/\?once 200/)
  expect(asked()).toBe(before + 1)
})
