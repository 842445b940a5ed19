/** The look-up of breached passwords, at a server of the test. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { isBreachedPassword } from './breached-password.ts'

/** Starts a server, and returns its address. */
async function serve(respond: RequestListener): Promise<string> {
  const server = createServer(respond)
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/range/`
}

/** SHA-1 of `password`: 5BAA6 1E4C9B93F3F0682250B6CF8331B7EE68FD8. */
const list = [
  '1D2DA4053E34E76F6576ED1DA63134B5E2A:2',
  '1E4C9B93F3F0682250B6CF8331B7EE68FD8:52256179',
  '1E4C9B93F3F0682250B6CF8331B7EE68FD9:0',
].join('\r\n')

test('a listed password is breached; only five characters of its hash are sent', async () => {
  const requests: unknown[] = []
  const url = await serve((request, response) => {
    requests.push([request.url, request.headers['add-padding']])
    response.end(list)
  })
  expect(await isBreachedPassword('password', { url })).toBe(true)
  expect(await isBreachedPassword('ｐａｓｓｗｏｒｄ', { url })).toBe(true)
  expect(await isBreachedPassword('correct horse', { url })).toBe(false)
  expect(requests).toEqual([
    ['/range/5BAA6', 'true'],
    ['/range/5BAA6', 'true'],
    ['/range/2F9E5', 'true'],
  ])
})

test('padding does not count', async () => {
  const url = await serve((_request, response) => response.end(list.replace('52256179', '0')))
  expect(await isBreachedPassword('password', { url })).toBe(false)
})

test('a service that fails or does not answer refuses no password', async () => {
  const failing = await serve((_request, response) => response.writeHead(503).end(list))
  expect(await isBreachedPassword('password', { url: failing })).toBe(false)
  const silent = await serve(() => {})
  expect(await isBreachedPassword('password', { url: silent, timeout: '10ms' })).toBe(false)
})
