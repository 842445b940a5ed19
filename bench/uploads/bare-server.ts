/** Measures Node without Fw: the server discards the body. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Vitals } from './server.ts'

const server = createServer((incoming, outgoing) => {
  let bytes = 0
  incoming.on('data', (chunk: Buffer) => (bytes += chunk.length))
  incoming.on('end', () => outgoing.end(String(bytes)))
})
process.on('message', () => {
  const vitals: Vitals = { rss: process.memoryUsage.rss(), files: 0, descriptors: 0 }
  process.send!(vitals)
})
process.on('disconnect', () => process.exit())
server.listen(0, () => process.send!((server.address() as AddressInfo).port))
