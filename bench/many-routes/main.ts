/**
 * An application with many routes and templates: `npm run bench -- many-routes [--counts 10,100,1000] [--rounds 9]`.
 *
 * 1. Generates an application for each count: controllers of ten routes, each with a view, built with `fw build`.
 * 2. Starts it with `fw start`: time and CPU time until the first page.
 * 3. Requests every page once: the memory of all templates, after forced collections.
 * 4. Measures the CPU time of a page without a view, of all routes in turn.
 *
 * Targets for the largest count, compared with the smallest: at most 100 ms of CPU time more to the first page, 30 MB more memory with all
 * templates, and 1.1 times the CPU time of a request.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { change, fw, removeFolder, visibleEnvironment } from '../../test/generate/folder.ts'
import { buildPackage } from '../build.ts'
import { createApplication } from '../create-application.ts'
import { estimate } from '../http/statistics.ts'
import { processorTime } from '../session/processor-time.ts'
import type { Sample } from '../soak/probe.ts'

const { values } = parseArgs({
  options: {
    counts: { type: 'string', default: '10,100,1000' },
    rounds: { type: 'string', default: '9' },
  },
})
const counts = values.counts.split(',').map(Number)
const rounds = Number(values.rounds)
const routesOfController = 10
const requestsOfRound = 5000
const targets = { millis: 100, megabytes: 30, ratio: 1.1 }
/** The pages do not use the database, but the generated application needs one. */
const environment = {
  FW_ENV: 'production',
  SECRET_KEY_BASE: 'DZb2p0xw3RkT9uVnQmYc7sLhEa1JgXo5',
  DATABASE_URL: process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres',
}

const template = (area: number, page: number): string => `<%@val title: string %>
<%@val count: number %>
<h1>\${title} ${area}.${page}</h1>
#for (row of [1, 2, 3])
<p class="row">\${row}: \${count}</p>
#end
#if (count > 10)
<p>\${s.url(routes.area${area}.page${page}Url, { id: count })}</p>
#end
`

/** The pages of an area: each shows its view, or with the parameter `plain` a text. */
function controllerText(area: number): string {
  const actions = Array.from(
    { length: routesOfController },
    (_, page) => `
  page${page}() {
    const id = this.params.getAs('id', ParamType.Int) ?? 0
    if (this.params.has('plain')) return String(id)
    return this.render('/area${area}/page${page}', { title: 'Page', count: id })
  }`,
  )
  const routes = Array.from(
    { length: routesOfController },
    (_, page) =>
      `  page${page}Url: r.get('/area${area}/items/:id/page${page}', 'page${page}').as('area${area}Page${page}'),`,
  )
  return `import { ErrorPageFilter, FwController, mix, ParamType, routes } from 'fwjs'

class Area${area}Controller extends mix(FwController, ErrorPageFilter) {${actions.join('\n')}
}

export const area${area} = routes(Area${area}Controller, (r) => ({
${routes.join('\n')}
}))
`
}

/** Writes the application. */
function createAreas(count: number): string {
  const root = createApplication()
  const main = join(root, 'src/main')
  const areas = Array.from({ length: count / routesOfController }, (_, area) => area)
  for (const area of areas) {
    writeFileSync(join(main, `controller/area${area}-controller.ts`), controllerText(area))
    const folder = join(main, `webapp/WEB-INF/views/area${area}`)
    mkdirSync(folder)
    for (let page = 0; page < routesOfController; page++)
      writeFileSync(join(folder, `page${page}.html.ssp`), template(area, page))
  }
  const imports = areas.map((area) => `import { area${area} } from './area${area}-controller.ts'\n`)
  const names = areas.map((area) => `area${area}, `)
  const controllers = 'src/main/controller/controllers.ts'
  change(root, controllers, 'import', `${imports.join('')}import`)
  change(root, controllers, '= { root', `= { ${names.join('')}root`)
  const mounts = areas.map((area) => `controllers.area${area}.mount(ctx)\n    `)
  const mount = 'controllers.root.mount(ctx)'
  change(root, 'src/main/bootstrap.ts', mount, `${mounts.join('')}${mount}`)
  writeFileSync(
    join(main, 'resources/application.yml'),
    'secretKeyBase: ${SECRET_KEY_BASE}\nserver:\n  hosts: localhost\naccessLog:\n  enabled: false\n',
  )
  return root
}

/** Sends requests one after another over one connection. Returns after the last response. */
async function request(port: number, paths: readonly string[]): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  const bodies = /content-length: (\d+)\r\n/i
  let next = 0
  let received = ''
  const done = Promise.withResolvers<void>()
  const send = (): void => {
    if (next === paths.length) {
      done.resolve()
      return
    }
    socket.write(`GET ${paths[next++]} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  }
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk
    const head = received.indexOf('\r\n\r\n')
    if (head < 0 || received.length < head + 4 + Number(bodies.exec(received)![1])) return
    if (!received.startsWith('HTTP/1.1 200')) done.reject(new Error(received))
    received = ''
    send()
  })
  socket.on('error', done.reject)
  send()
  await done.promise
  socket.destroy()
}

const pathOf = (index: number, suffix = ''): string =>
  `/area${Math.floor(index / routesOfController)}/items/${index}/page${index % routesOfController}${suffix}`

interface Started {
  readonly child: ChildProcess
  readonly port: number
  readonly millis: number
  readonly cpuMillis: number
}

async function start(root: string, probed: boolean): Promise<Started> {
  const probe = ['--expose-gc', `--import=${join(import.meta.dirname, '../soak/probe.ts')}`]
  const main = join(root, 'node_modules/fwjs/dist/tools/cli/main.js')
  const began = performance.now()
  const child = spawn(process.execPath, [...(probed ? probe : []), main, 'start', '--port', '0'], {
    cwd: root,
    env: { ...visibleEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'inherit', ...(probed ? (['ipc'] as const) : [])],
  })
  let port = 0
  for await (const line of createInterface({ input: child.stdout! })) {
    port = Number(/http:\/\/[^:]+:(\d+)/.exec(line)?.[1] ?? 0)
    if (port > 0) break
  }
  child.stdout!.resume()
  await request(port, [pathOf(0)])
  const millis = performance.now() - began
  return { child, port, millis, cpuMillis: processorTime(child.pid!) * 1000 }
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

interface Figures {
  readonly millis: readonly number[]
  readonly cpuMillis: readonly number[]
  readonly megabytes: number
  readonly micros: readonly number[]
}

async function measure(count: number): Promise<Figures> {
  const root = createAreas(count)
  try {
    const began = performance.now()
    const { code, said } = await fw({ cwd: root, env: environment }, 'build')
    if (code !== 0) throw new Error(`fw build failed:\n${said}`)
    console.log(`${count} routes: built in ${((performance.now() - began) / 1000).toFixed(1)} s`)
    const starts: Started[] = []
    for (let round = 0; round < rounds; round++) {
      const started = await start(root, false)
      starts.push(started)
      await stop(started.child)
    }
    const { child, port } = await start(root, true)
    const all = Array.from({ length: count }, (_, index) => index)
    await request(
      port,
      all.map((index) => pathOf(index)),
    )
    child.send('sample')
    const [{ heap, external }] = (await once(child, 'message')) as [Sample]
    const plain = Array.from({ length: requestsOfRound }, (_, at) =>
      pathOf((at * 7) % count, '?plain=1'),
    )
    const micros: number[] = []
    // The first two rounds load and optimize code.
    for (let round = -2; round < rounds; round++) {
      const before = processorTime(child.pid!)
      await request(port, plain)
      if (round >= 0) micros.push(((processorTime(child.pid!) - before) * 1e6) / requestsOfRound)
    }
    await stop(child)
    return {
      millis: starts.map((one) => one.millis),
      cpuMillis: starts.map((one) => one.cpuMillis),
      megabytes: (heap + external) / 1e6,
      micros,
    }
  } finally {
    await removeFolder(root)
  }
}

const format = (figures: readonly number[], digits = 0): string => {
  const { median, low, high } = estimate(figures)
  return `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`
}
const median = (figures: readonly number[]): number => estimate(figures).median

buildPackage()
const results: Figures[] = []
for (const count of counts) {
  const figures = await measure(count)
  results.push(figures)
  console.log(
    `${count} routes and templates: first page after ${format(figures.millis)} ms, ${format(figures.cpuMillis)} ms of CPU time; ` +
      `${figures.megabytes.toFixed(1)} MB; a request takes ${format(figures.micros, 1)} µs of CPU time; load ${loadavg()[0]!.toFixed(1)}`,
  )
}
const [first, last] = [results[0]!, results.at(-1)!]
const more = {
  millis: median(last.cpuMillis) - median(first.cpuMillis),
  megabytes: last.megabytes - first.megabytes,
  ratio: median(last.micros) / median(first.micros),
}
const isReached =
  more.millis <= targets.millis &&
  more.megabytes <= targets.megabytes &&
  more.ratio <= targets.ratio
console.log(
  `${isReached ? 'reached' : 'MISSED'}: ${more.millis.toFixed(0)} ms of CPU time more to the first page (target ${targets.millis}), ` +
    `${more.megabytes.toFixed(1)} MB more (target ${targets.megabytes}), ${more.ratio.toFixed(2)} times the CPU time of a request (target ${targets.ratio})`,
)
if (!isReached) process.exitCode = 1
