/**
 * The time from a save to its effect under `fw run`: `npm run bench -- develop [--scaffolds 1] [--rounds 9]`.
 *
 * Generates an application with `--scaffolds` scaffolds on the embedded PostgreSQL and starts `fw run`. Each round saves a controller
 * and a view, and requests the page until it has the change. Then it saves a mistake in a view, and waits until `fw run`
 * sends it to the overlay of the open pages. Prints medians in milliseconds, with the shortest and the longest time.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { change, removeFolder, visibleEnvironment } from '../../test/generate/folder.ts'
import { buildPackage } from '../build.ts'
import { createApplication } from '../create-application.ts'

const { values } = parseArgs({
  options: {
    scaffolds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '9' },
  },
})
const rounds = Number(values.rounds)
/** Milliseconds. */
const patience = 20_000
/** Milliseconds between two saves, in which the checks of the previous one end. */
const pause = 1500

buildPackage()
const scaffolds = Array.from({ length: Number(values.scaffolds) }, (_, at) => at + 1)
const root = createApplication(
  ...scaffolds.map((at) => `scaffold items${at} item${at} name:String birthday:LocalDate`),
)
const controller = 'src/main/controller/root-controller.ts'
const view = 'src/main/webapp/WEB-INF/views/root/index.html.ssp'
const port = 3900 + (process.pid % 90)
const page = `http://127.0.0.1:${port}/`

const sleep = (millis: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, millis))

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const write = (path: string, text: string): void => writeFileSync(join(root, path), text)

function addCounter(): void {
  change(root, controller, '  index() {', "  count() {\n    return 'count 0'\n  }\n\n  index() {")
  change(
    root,
    controller,
    '  indexUrl',
    "  countUrl: r.get('/count', 'count').as('count'),\n  indexUrl",
  )
}

/** Requests the path until its response contains the text. Returns the milliseconds since `begin`. */
async function waitFor(path: string, text: string, begin: number): Promise<number> {
  for (; performance.now() < begin + patience; await sleep(2)) {
    const response = await fetch(new URL(path, page)).catch(() => undefined)
    const body = await response?.text().catch(() => '')
    if (body?.includes(text)) return performance.now() - begin
  }
  throw new Error(`${path} does not show ${text}`)
}

/** The events that `fw run` has sent to the overlay of a page since the last one that was waited for. */
class OverlayEvents {
  #received = ''

  async read(stream: string): Promise<void> {
    const response = await fetch(new URL(stream, page), {
      headers: { accept: 'text/event-stream' },
    })
    const decoder = new TextDecoder()
    for await (const bytes of response.body!)
      this.#received += decoder.decode(bytes, { stream: true })
  }

  /** Returns the milliseconds since `begin` until an event contains the text. */
  async wait(begin: number, text: string): Promise<number> {
    for (; performance.now() < begin + patience; await sleep(2)) {
      if (!this.#received.includes(text)) continue
      this.#received = ''
      return performance.now() - begin
    }
    throw new Error(`the overlay gets no ${text}`)
  }
}

function report(name: string, millis: readonly number[]): void {
  const sorted = millis.toSorted((one, other) => one - other)
  const [shortest, median, longest] = [0, sorted.length >> 1, sorted.length - 1].map((at) =>
    sorted[at]!.toFixed(0),
  )
  console.log(`${name.padEnd(24)} ${median} ms (${shortest} to ${longest})`)
}

async function measureSaves(): Promise<void> {
  const controllers: number[] = []
  const views: number[] = []
  const text = read(view)
  for (let round = 1; round <= rounds; round++) {
    const begin = performance.now()
    change(root, controller, `count ${round - 1}'`, `count ${round}'`)
    controllers.push(await waitFor('/count', `count ${round}`, begin))
    await sleep(pause)
    const saved = performance.now()
    write(view, `${text}<p>view ${round}.</p>\n`)
    views.push(await waitFor('/', `view ${round}.`, saved))
    await sleep(pause)
  }
  report('controller', controllers)
  report('view', views)
}

async function measureOverlay(): Promise<void> {
  const shown: number[] = []
  const removed: number[] = []
  const html = await (await fetch(page)).text()
  const scriptPath = /src="([^"]*since=[^"]*)"/.exec(html)![1]!
  const script = await (await fetch(new URL(scriptPath, page))).text()
  const streamPath = /new EventSource\(`([^?`]+)/.exec(script)![1]!
  const since = new URL(scriptPath, page).searchParams.get('since')
  const events = new OverlayEvents()
  // The stream ends with an error when the process stops.
  void events.read(`${streamPath}?since=${since}`).catch(() => {})
  const text = read(view)
  for (let round = 1; round <= rounds; round++) {
    const begin = performance.now()
    write(view, `${text}<p>\${misspelt${round}}</p>\n`)
    shown.push(await events.wait(begin, `misspelt${round}`))
    await sleep(pause)
    const mended = performance.now()
    write(view, text)
    removed.push(await events.wait(mended, 'data: []'))
    await sleep(pause)
  }
  report('mistake sent', shown)
  report('mistake cleared', removed)
}

async function measureApplication(): Promise<void> {
  const args = [join(root, 'node_modules/fwjs/dist/tools/cli/main.js'), 'run']
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...visibleEnvironment(), PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = once(child, 'exit')
  try {
    await waitFor('/count', 'count 0', performance.now())
    await sleep(3 * pause)
    await measureSaves()
    await measureOverlay()
  } finally {
    child.kill('SIGTERM')
    await exited
  }
}

try {
  addCounter()
  await measureApplication()
} finally {
  await removeFolder(root)
}
