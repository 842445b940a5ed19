/** The path that receives browsers' reports of violations of the Content-Security-Policy. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { serve } from '../support/serve.ts'

class Pages extends FwController {
  page() {
    return 'page'
  }
  inline() {
    return `<script nonce="${this.ctx.cspNonce}"></script>`
  }
}
const pages = routes(Pages, (r) => ({
  page: r.get('/page', 'page'),
  inline: r.get('/inline', 'inline'),
  invitation: r.get('/invitations/:token', 'page').as('invitation'),
  reset: r.post('/resets/:token/password', 'page').as('reset'),
}))

const start = (security: Readonly<Record<string, unknown>> = {}, others = {}) =>
  serve([pages], {
    configuration: { security: { policyReportPath: '/reports', ...security }, ...others },
  })
type Started = Awaited<ReturnType<typeof start>>

const post = ({ app }: Started, type: string, body: unknown, path = '/reports') =>
  app.fetch(
    new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  )
const violations = ({ lines }: Started) =>
  lines.filter(({ message }) => message === 'a page violates the Content-Security-Policy')

const old = {
  'csp-report': {
    'document-uri': 'https://shop.example/cart?token=1#top',
    'effective-directive': 'script-src-elem',
    'blocked-uri': 'https://cdn.example/a.js?key=2',
    'source-file': 'https://shop.example/b.js?c=3',
    'line-number': 4,
    disposition: 'report',
    'original-policy': "default-src 'self'",
  },
}
const current = {
  type: 'csp-violation',
  body: {
    documentURL: 'https://shop.example/cart?token=1',
    effectiveDirective: 'script-src-elem',
    blockedURL: 'https://cdn.example/a.js',
    sourceFile: 'https://shop.example/b.js',
    lineNumber: 4,
    disposition: 'report',
  },
}
const logged = {
  page: 'https://shop.example/cart',
  directive: 'script-src-elem',
  blocked: 'https://cdn.example/a.js',
  source: 'https://shop.example/b.js',
  line: 4,
  disposition: 'report',
}

describe('reports', () => {
  test('are logged once for each kind of violation, in both formats and without queries', async () => {
    const app = await start()
    expect((await post(app, 'application/csp-report', old)).status).toBe(204)
    expect((await post(app, 'application/csp-report', old)).status).toBe(204)
    const inline = { ...current, body: { ...current.body, blockedURL: 'inline' } }
    const other = { type: 'deprecation', body: current.body }
    const batch = [current, inline, other, inline]
    expect((await post(app, 'application/reports+json', batch)).status).toBe(204)
    expect(violations(app)).toMatchObject([
      { level: 'warn', fields: logged },
      { level: 'warn', fields: { ...logged, blocked: 'inline' } },
    ])
    expect(violations(app)[0]!.fields).toEqual(logged)
  })

  test.each([
    ['another type', 'application/json', old, 415],
    ['a body above 64 KiB', 'application/csp-report', { a: 'a'.repeat(65_536) }, 413],
    ['malformed JSON', 'application/reports+json', '[{]', 400],
    ['deep JSON', 'application/reports+json', '['.repeat(100) + ']'.repeat(100), 400],
  ])('%s is refused', async (_case, type, body, status) => {
    const app = await start()
    const response = await post(app, type, body)
    expect(response.status).toBe(status)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(violations(app)).toEqual([])
  })

  test.each(['[]', '[1, null, "a"]', '{}', 'null', '[{"type": "csp-violation"}]'])(
    'JSON of another shape is no violation: %s',
    async (body) => {
      const app = await start()
      for (const type of ['application/csp-report', 'application/reports+json'])
        expect((await post(app, type, body)).status).toBe(204)
      expect(violations(app)).toEqual([])
    },
  )

  test('have secrets in paths redacted as in the access log', async () => {
    const app = await start({}, { contextPath: '/shop' })
    const batch = [
      ['https://shop.example/shop/invitations/s3cret', 'https://shop.example/shop/page/5'],
      ['https://ann:s3cret@shop.example/shop/resets/s3cret/password', 'inline'],
      ['https://shop.example/a/%zz/s3cret', 'https://shop.example/shop/invitations/s3cret'],
      [`https://shop.example/${'a'.repeat(3000)}`, 'data'],
    ].map(([documentURL, blockedURL]) => ({
      type: 'csp-violation',
      body: { documentURL, blockedURL, sourceFile: documentURL },
    }))
    await post(app, 'application/reports+json', batch, '/shop/reports')
    const pages = [
      'https://shop.example/shop/invitations/[redacted]',
      'https://[redacted]@shop.example/shop/resets/[redacted]/password',
      'https://shop.example/[redacted]',
      'https://shop.example/[redacted]',
    ]
    const blocked = ['https://shop.example/shop/page/5', 'inline', pages[0], 'data']
    expect(violations(app).map(({ fields }) => fields)).toEqual(
      pages.map((page, at) => ({ page, source: page, blocked: blocked[at] })),
    )
  })

  test('are logged once for all pages with the same violation', async () => {
    const app = await start()
    const inline = (page: string) => ({
      type: 'csp-violation',
      body: { documentURL: page, sourceFile: page, blockedURL: 'inline', lineNumber: 4 },
    })
    const batch = [1, 2, 3].map((id) => inline(`https://shop.example/orders/${id}`))
    await post(app, 'application/reports+json', batch)
    expect(violations(app)).toMatchObject([{ fields: { page: 'https://shop.example/orders/1' } }])
  })

  test('are logged for 1,000 kinds a day, and read for 60 requests a minute', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const app = await start()
    const send = async (request: number): Promise<number> => {
      const batch = Array.from({ length: 20 }, (_, at) => ({
        type: 'csp-violation',
        body: { blockedURL: `https://${request * 20 + at}.example` },
      }))
      return (await post(app, 'application/reports+json', batch)).status
    }
    for (let request = 0; request < 60; request++) expect(await send(request)).toBe(204)
    expect(violations(app)).toHaveLength(1000)
    expect(app.lines.at(-1)).toMatchObject({
      level: 'warn',
      message: 'further violations of the policy are not logged for up to a day',
    })
    expect(await send(0)).toBe(429)
    vi.advanceTimersByTime(59_999)
    expect(await send(0)).toBe(429)
    vi.advanceTimersByTime(1)
    expect(await send(60)).toBe(204)
    expect(violations(app)).toHaveLength(1000)
    vi.advanceTimersByTime(24 * 60 * 60_000)
    expect(await send(0)).toBe(204)
    expect(violations(app)).toHaveLength(1020)
  })

  test('are read by POST only', async () => {
    const { status, headers } = await (await start()).get('/reports')
    expect([status, headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('have long texts cut, and at most 20 of a body are read', async () => {
    const app = await start()
    const batch = Array.from({ length: 50 }, (_, at) => ({
      type: 'csp-violation',
      body: { effectiveDirective: `${at}`.padEnd(1000, '-') },
    }))
    await post(app, 'application/reports+json', batch)
    expect(violations(app)).toHaveLength(20)
    expect(String(violations(app)[0]!.fields['directive'])).toHaveLength(200)
  })
})

describe('policies', () => {
  const reportOnly = 'content-security-policy-report-only'
  const names = ['content-security-policy', reportOnly]

  test('of both kinds name the path, below the context path, also on pages with a nonce', async () => {
    const security = { contentSecurityPolicyReportOnly: { 'img-src': "'self'" } }
    const app = await start(security, { contextPath: '/shop' })
    for (const path of ['/shop/page', '/shop/inline']) {
      const { headers } = await app.get(path)
      for (const name of names) expect(headers.get(name)).toMatch(/; report-uri \/shop\/reports$/)
      expect(headers.get('reporting-endpoints')).toBeNull()
    }
    expect((await post(app, 'application/csp-report', old, '/shop/reports')).status).toBe(204)
    expect((await post(app, 'application/csp-report', old)).status).toBe(404)
  })

  const getInProduction = async (security = {}) => {
    const app = await serve([pages], {
      environment: 'production',
      configuration: {
        secretKeyBase: 'Zk3vPq8sWx1yRt6uMn0aLb9cHd4eGf7jKi2oSg5hTj8w',
        server: { hosts: ['localhost'] },
        security: { policyReportPath: '/reports', ...security },
      },
    })
    return app.app.fetch(new Request('https://localhost/page'))
  }

  test('name it for the Reporting API in production over https', async () => {
    const { headers } = await getInProduction()
    expect(headers.get('content-security-policy')).toMatch(
      /; report-uri \/reports; report-to policy$/,
    )
    expect(headers.get('reporting-endpoints')).toBe('policy="/reports"')
  })

  test.each(['other="https://reports.example"', 'off'])(
    'name it only by report-uri if the application sets Reporting-Endpoints: %s',
    async (value) => {
      const { headers } = await getInProduction({ headers: { 'reporting-Endpoints': value } })
      expect(headers.get('content-security-policy')).toMatch(/; report-uri \/reports$/)
      expect(headers.get('reporting-endpoints')).toBe(value === 'off' ? null : value)
    },
  )

  test('keep a receiver of the application', async () => {
    const own = { 'report-uri': 'https://reports.example' }
    const app = await start({ contentSecurityPolicy: own })
    const policy = (await app.get('/page')).headers.get('content-security-policy')
    expect(policy).toMatch(/; report-uri https:\/\/reports\.example$/)
  })

  test('name no path by default, and there is none', async () => {
    const app = await serve([pages])
    expect((await app.get('/page')).headers.get('content-security-policy')).not.toContain('report')
    expect((await post(app, 'application/csp-report', old)).status).toBe(404)
  })
})

test.each(['/', '/a;b', '/a,b', '/a"b', '/ä', 'reports', ''])(
  'the setting policyReportPath %j is refused',
  async (policyReportPath) => {
    await expect(start({ policyReportPath })).rejects.toMatchObject({ code: 'config.invalid' })
  },
)
