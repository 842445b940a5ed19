/** RpcClient: messages in pieces, errors, requests of the server, cancellation, and the end of the server. */
import { PassThrough } from 'node:stream'
import { beforeEach, expect, test } from 'vitest'
import { cancellationOf, RpcClient } from './rpc-client.ts'

let input: PassThrough
let sent: string[]
let client: RpcClient

beforeEach(() => {
  input = new PassThrough()
  sent = []
  const output = new PassThrough().setEncoding('utf8')
  output.on('data', (text: string) => sent.push(text))
  client = new RpcClient(input, output, (method) => (method === 'name' ? 'ü' : undefined))
})

function message(content: object): Buffer {
  const body = Buffer.from(JSON.stringify(content))
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body])
}

test('responses in any pieces and in any order resolve their requests', async () => {
  const [first, second] = [client.request('a'), client.request('b')]
  const bytes = Buffer.concat([
    message({ id: 2, result: 'größe 😀'.repeat(100) }),
    message({ method: 'window/logMessage', params: {} }),
    message({ id: 1, result: null }),
  ])
  for (let at = 0; at < bytes.length; at += 7) input.write(bytes.subarray(at, at + 7))
  expect(await first).toBeNull()
  expect(await second).toBe('größe 😀'.repeat(100))
})

test('a message has the length of its bytes', async () => {
  client.notify('note', { text: 'ü' })
  await expect
    .poll(() => sent.join(''))
    .toBe('Content-Length: 56\r\n\r\n{"jsonrpc":"2.0","method":"note","params":{"text":"ü"}}')
})

test('an error of the server rejects the request with its code', async () => {
  const request = client.request('a')
  input.write(message({ id: 1, error: { code: -32_601, message: 'unknown method' } }))
  await expect(request).rejects.toMatchObject({ code: -32_601, message: 'unknown method' })
})

test('a request of the server gets a result', async () => {
  input.write(
    Buffer.concat([message({ id: 'x', method: 'name' }), message({ id: 7, method: 'other' })]),
  )
  await expect.poll(() => sent.join('')).toContain('"id":"x","result":"ü"')
  await expect.poll(() => sent.join('')).toContain('"id":7,"result":null')
})

test('an aborted request is cancelled at the server', async () => {
  const controller = new AbortController()
  const request = client.request('a', {}, cancellationOf(controller.signal))
  controller.abort()
  await expect.poll(() => sent.join('')).toContain('"method":"$/cancelRequest","params":{"id":1}')
  input.write(message({ id: 1, error: { code: -32_800, message: 'cancelled' } }))
  await expect(request).rejects.toThrow('cancelled')
})

test('the end of the server rejects open and later requests', async () => {
  const request = client.request('a')
  client.dispose()
  await expect(request).rejects.toThrow('The server has ended')
  await expect(client.request('b')).rejects.toThrow('The server has ended')
})

test.each([
  ['without a length', 'a line on the output\r\n\r\n'],
  ['that is not JSON', 'Content-Length: 3\r\n\r\n{a}'],
])('a message %s ends the connection', async (_name, text) => {
  const pending = client.request('a')
  input.write(text)
  await expect(pending).rejects.toThrow('The server has ended')
  expect(input.destroyed).toBe(true)
})
