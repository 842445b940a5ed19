/** A page of a fixed cost of CPU, served in production. Argument: `server.maxQueueTime`. Prints its port. */
import { pbkdf2Sync } from 'node:crypto'
import { LogSink, jsonLogger } from '../../src/runtime/base.ts'
import { HttpResponse } from '../../src/runtime/http.ts'
import { HttpServer } from '../../src/runtime/server.ts'

const rounds = 15_000
const sink = new LogSink(process.stderr)
const server = new HttpServer(
  () => {
    const text = pbkdf2Sync('page', 'salt', rounds, 32, 'sha256').toString('hex')
    return new HttpResponse(200, text)
  },
  { maxQueueTime: Number(process.argv[2]), logger: jsonLogger(sink.write) },
)
const { port } = await server.listen(0)
process.stdout.write(`${port}\n`)
