import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FwLifeCycle, type ServletContext } from '../app.ts'
import { silentLogger } from '../base.ts'
import { Configuration } from '../config.ts'
import { FwController, routes } from '../controller.ts'
import { createApp } from './create-app.ts'

class PeersController extends FwController {
  peer(): string {
    return this.request.remoteAddress
  }
}
const peers = routes(PeersController, (r) => ({ peer: r.get('/', 'peer') }))

class Boot extends FwLifeCycle {
  override initFwApp(ctx: ServletContext): void {
    peers.mount(ctx)
  }
}

/** The client address of a request from 10.0.0.9 with two forwarded addresses. */
async function clientWith(trustedProxies: unknown): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'fw-server-app-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  const configuration = Configuration.from({ server: { trustedProxies } })
  const app = await createApp(new Boot(), { root, configuration, logger: silentLogger })
  onTestFinished(() => app.close())
  const headers = { 'x-forwarded-for': '192.0.2.1, 192.0.2.2' }
  const request = new Request('http://localhost/', { headers })
  return (await app.fetch(request, { remoteAddress: '10.0.0.9' })).text()
}

test.each([
  [undefined, '10.0.0.9'],
  [[], '10.0.0.9'],
  ['10.0.0.0/8', '192.0.2.2'],
  [['10.0.0.0/8', '192.0.2.2'], '192.0.2.1'],
])('server.trustedProxies %j of the configuration', async (setting, client) => {
  expect(await clientWith(setting)).toBe(client)
})

test.each([[2], ['2'], [['10.0.0.0/8', 2]]])(
  'a number of proxies is rejected: %j',
  async (setting) => {
    await expect(clientWith(setting)).rejects.toThrow('"2" in the setting server.trustedProxies')
  },
)
