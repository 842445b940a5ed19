/** `Secure` cookies: in which environments and by which setting, and the log line for responses over plain http. */
import { describe, expect, test } from 'vitest'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { serve } from '../support/serve.ts'

class Visits extends FwController {}
const visits = routes(Visits, (r) => ({
  session: r.get('/session', (c) => {
    c.session.set('visits', 1)
    return 'x'
  }),
  cookie: r.get('/cookie', (c) => {
    c.cookies.set('theme', 'dark')
    return 'x'
  }),
  plain: r.get('/plain', (c) => {
    c.cookies.set('theme', 'dark', { secure: false })
    return 'x'
  }),
  none: r.get('/none', () => 'x'),
}))

async function start(environment: string, configuration: Readonly<Record<string, unknown>> = {}) {
  const { app, lines } = await serve([visits], {
    environment,
    configuration: {
      accessLog: { enabled: false },
      secretKeyBase: 'dMtC0gTzmvhXUkMd9bOPIrlSn4fZ6JqW',
      server: { hosts: ['shop.test', 'localhost'], trustedProxies: ['10.0.0.1'] },
      ...configuration,
    },
  })
  const fetch = async (url: string, headers: Record<string, string> = {}, remoteAddress = '::1') =>
    (await app.fetch(new Request(url, { headers }), { remoteAddress })).headers.getSetCookie()
  return { fetch, lines }
}

describe('cookies are Secure', () => {
  test.each([
    ['production', {}, true],
    ['staging', {}, true],
    ['qa', {}, true],
    ['preview', {}, true],
    ['development', {}, false],
    ['test', {}, false],
    ['production', { secure: false }, false],
    ['development', { secure: true }, true],
  ])('in %s with %j: %s', async (environment, cookies, expected) => {
    const { fetch } = await start(environment, { cookies })
    const lines = [
      ...(await fetch('https://shop.test/session')),
      ...(await fetch('https://shop.test/cookie')),
    ]
    expect(lines[0]!.startsWith('__Host-fw_session=')).toBe(expected)
    expect(lines.map((line) => line.includes('; Secure'))).toEqual([expected, expected])
  })
})

describe('over plain http', () => {
  test('the first response with a Secure cookie is one line in the log, with host, peer and settings', async () => {
    const { fetch, lines } = await start('production')
    await fetch('http://shop.test/none')
    await fetch('http://shop.test/plain')
    await fetch('http://localhost/session')
    await fetch('https://shop.test/session')
    expect(lines).toEqual([])
    await fetch('http://shop.test/session', {}, '10.9.9.9')
    await fetch('http://shop.test/cookie', {}, '10.9.9.9')
    expect(lines).toMatchObject([
      {
        level: 'warn',
        fields: { host: 'shop.test' },
        message:
          'A request to http://shop.test got a Secure cookie, which browsers do not send back over http: forms and logins fail. ' +
          'Serve the application over https. If a proxy already does, it must send X-Forwarded-Proto: https, and ' +
          'server.trustedProxies must contain its address, 10.9.9.9. For http only, set cookies.secure to false.',
      },
    ])
  })

  test('the line says what a trusted proxy must send', async () => {
    const { fetch, lines } = await start('staging')
    await fetch('http://shop.test/session', { 'x-forwarded-proto': 'https' }, '10.0.0.1')
    expect(lines).toEqual([])
    await fetch('http://shop.test/session', { 'x-forwarded-for': '203.0.113.7' }, '10.0.0.1')
    expect(lines[0]!.message).toContain(
      'already does, the proxy must send X-Forwarded-Proto: https.',
    )
  })

  test('there is no line if the setting cookies.secure is false', async () => {
    const { fetch, lines } = await start('staging', { cookies: { secure: false } })
    await fetch('http://shop.test/session')
    expect(lines.map(({ message }) => message)).toEqual([
      'cookies.secure is false: anybody on the network can read the session cookie.',
    ])
  })
})
