import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { silentLogger } from '../base.ts'
import { listenOn } from './listen-address.ts'

test('what goes wrong after the start is logged, and ends nothing', async () => {
  const logged: unknown[] = []
  const logger = { ...silentLogger, error: (...line: unknown[]) => void logged.push(line) }
  const server = createServer()
  const { port, url } = await listenOn(server, { port: 0, host: '127.0.0.1' }, logger)
  expect(url).toBe(`http://127.0.0.1:${port}`)
  const error = new Error('accept EMFILE')
  server.emit('error', error)
  expect(logged).toEqual([[{ error }, 'server error']])
  expect(server.listening).toBe(true)
  server.close()
})
