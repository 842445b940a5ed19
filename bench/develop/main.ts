/**
 * The time from a save to its effect under `fw run`: `npm run bench -- develop [--scaffolds 1] [--rounds 9]`.
 *
 * Generates an application with so many scaffolds on the embedded PostgreSQL and starts `fw run`. Each round saves a controller
 * and a view, and requests the page until it has the change. Then it saves a mistake in a view, and waits until a page in the
 * browser would show it. Prints medians in milliseconds, with the shortest and the longest time.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  change,
  generate,
  linkSources,
  newFolder,
  removeFolder,
  visibleEnvironment,
} from '../../test/generate/folder.ts'
import { buildPackage } from '../build.ts'

const { values } = parseArgs({
  options: {
    scaffolds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '9' },
  },
})
const rounds = Number(values.rounds)

const root = newFolder()
const controller = 'src/main/controller/root-controller.ts'
const view = 'src/main/webapp/WEB-INF/views/root/index.html.ssp'
const port = 3900 + (process.pid % 90)
const page = `http://127.0.0.1:${port}/`

const sleep = (millis: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, millis))

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const write = (path: string, text: string): void => writeFileSync(join(root, path), text)

function createApplication(): void {
  linkSources(root)
  for (let at = 1; at <= Number(values.scaffolds); at++)
    generate(root, `scaffold items${at} item${at} name:String birthday:LocalDate`)
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
  for (const end = begin + 20_000; performance.now() < end; await sleep(2)) {
    const response = await fetch(new URL(path, page)).catch(() => undefined)
    if ((await response?.text())?.includes(text)) return performance.now() - begin
  }
  throw new Error(`${path} does not show ${text}`)
}

/** The mistakes that `fw run` sends to a page, as their JSON. */
class OverlayEvents {
  readonly #received: string[] = []
  #wake: () => void = () => {}

  async read(stream: string): Promise<void> {
    const response = await fetch(new URL(stream, page), {
      headers: { accept: 'text/event-stream' },
    })
    const decoder = new TextDecoder()
    for await (const bytes of response.body!) {
      this.#received.push(decoder.decode(bytes))
      this.#wake()
    }
  }

  /** Returns the milliseconds since `begin` until an event meets the condition. */
  async wait(begin: number, isMet: (text: string) => boolean): Promise<number> {
    while (!this.#received.splice(0).some(isMet))
      await new Promise<void>((resolve) => (this.#wake = resolve))
    return performance.now() - begin
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
  const [controllers, views]: number[][] = [[], []]
  const text = read(view)
  for (let round = 1; round <= rounds; round++) {
    const begin = performance.now()
    change(root, controller, `count ${round - 1}'`, `count ${round}'`)
    controllers!.push(await waitFor('/count', `count ${round}`, begin))
    await sleep(1500)
    const saved = performance.now()
    write(view, `${text}<p>view ${round}.</p>\n`)
    views!.push(await waitFor('/', `view ${round}.`, saved))
    await sleep(1500)
  }
  report('controller', controllers!)
  report('view', views!)
}

async function measureOverlay(): Promise<void> {
  const [shown, removed]: number[][] = [[], []]
  const html = await (await fetch(page)).text()
  const scriptPath = /src="([^"]*since=[^"]*)"/.exec(html)![1]!
  const script = await (await fetch(new URL(scriptPath, page))).text()
  const streamPath = /new EventSource\(`([^?`]+)/.exec(script)![1]!
  const since = new URL(scriptPath, page).searchParams.get('since')
  const events = new OverlayEvents()
  void events.read(`${streamPath}?since=${since}`).catch(() => {})
  const text = read(view)
  for (let round = 1; round <= rounds; round++) {
    const begin = performance.now()
    write(view, `${text}<p>\${misspelt${round}}</p>\n`)
    shown!.push(await events.wait(begin, (event) => event.includes(`misspelt${round}`)))
    await sleep(500)
    const mended = performance.now()
    write(view, text)
    removed!.push(await events.wait(mended, (event) => event.includes('data: []')))
    await sleep(500)
  }
  report('overlay shown', shown!)
  report('overlay removed', removed!)
}

buildPackage()
createApplication()
const child = spawn(
  process.execPath,
  [join(root, 'node_modules/fwjs/dist/tools/cli/main.js'), 'run'],
  {
    cwd: root,
    env: { ...visibleEnvironment(), PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  },
)
try {
  await waitFor('/count', 'count 0', performance.now())
  await sleep(5000)
  await measureSaves()
  await measureOverlay()
} finally {
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
  removeFolder(root)
}
