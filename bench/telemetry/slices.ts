/**
 * What metrics and inactive channels add to a request, from short slices of one process that alternate: other load on the
 * machine affects both sides alike. `node --conditions=fwjs-source bench/telemetry/slices.ts [pairs]`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { FwConfig, FwController, FwServer, routes } from 'fwjs'
import { requestChannel, type FwContext, type RequestEvent } from '../../src/runtime/action.ts'
import { Metrics } from '../../src/runtime/telemetry/metrics.ts'

const pairs = Number(process.argv[2] ?? 300)
/** Long, because the first requests after a change of subscribers are slower. */
const sliceRequests = 2_000

class Pages extends FwController {
  show() {
    return { id: this.params.get('id'), name: 'Ann' }
  }
}
const pages = routes(Pages, (r) => ({ show: r.get('/members/:id', 'show') }))
const root = mkdtempSync(join(tmpdir(), 'fw-bench-'))
writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
const configuration = FwConfig.from({ accessLog: { enabled: false } })
let services: FwContext['services'] | undefined
const onRequest = (ctx: FwContext): void => void (services ??= ctx.services)
const app = await new FwServer({ root, configuration, onRequest }).mount(pages).start()
const request = new Request('http://localhost/members/5')
await app.fetch(request)

/** The listener of metrics, which reads all events of requests. */
function createListener(): (event: RequestEvent) => void {
  let listener: ((event: RequestEvent) => void) | undefined
  const subscribe = requestChannel.subscribe.bind(requestChannel)
  requestChannel.subscribe = (listeners) => {
    listener = listeners.end
    return () => {}
  }
  const metrics = new Metrics(services!, { fwjs: '', application: '', version: '' })
  requestChannel.subscribe = subscribe
  metrics.stop()
  return listener!
}
const end = createListener()

/** Microseconds of CPU time of a request. */
async function slice(): Promise<number> {
  const before = process.cpuUsage()
  for (let at = 0; at < sliceRequests; at++) await app.fetch(request)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / sliceRequests
}

async function sliceWithMetrics(): Promise<number> {
  const stop = requestChannel.subscribe({ end })
  try {
    return await slice()
  } finally {
    stop()
  }
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)]!

/** The median of the differences between neighbours, with its 95 % interval. */
async function compare(on: () => Promise<number>, off: () => Promise<number>): Promise<string> {
  const differences: number[] = []
  for (let pair = 0; pair < pairs; pair++) {
    const isFirst = pair % 2 === 0
    const first = await (isFirst ? on() : off())
    const second = await (isFirst ? off() : on())
    differences.push(isFirst ? first - second : second - first)
  }
  const spread = 0.98 / Math.sqrt(pairs)
  const [low, middle, high] = [0.5 - spread, 0.5, 0.5 + spread].map((share) =>
    quantile(differences, share),
  )
  return `${middle!.toFixed(2)} µs (${low!.toFixed(2)} to ${high!.toFixed(2)})`
}

for (let warm = 0; warm < 20; warm++) await (warm % 2 === 0 ? slice() : sliceWithMetrics())
console.log(`metrics add ${await compare(sliceWithMetrics, slice)} to a request`)
console.log(`nothing adds ${await compare(slice, slice)}`)

const checks = 20_000_000
let active = 0
const before = process.cpuUsage()
for (let at = 0; at < checks; at++) if (requestChannel.active) active++
const { user, system } = process.cpuUsage(before)
console.log(
  `a check of a channel without subscribers takes ${(((user + system) * 1000) / checks).toFixed(2)} ns (${active} were active), load ${loadavg()[0]!.toFixed(1)}`,
)
await app.close()
rmSync(root, { recursive: true, force: true })
// Ends the timers of the metrics.
process.exit()
