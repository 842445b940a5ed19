/** Runs `fw start --workers` in a folder as a child process, and records its log lines. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fwCommand, visibleEnvironment } from './environment.ts'

/** Returns the files of an application that responds with the id of its process. */
export const workerApplication = (configuration = ''): Readonly<Record<string, string>> => ({
  'package.json': '{"type":"module"}',
  'src/main/bootstrap.ts': `
import { FwLifeCycle, microServlet } from 'fwjs'
const held = []
const pid = () => String(process.pid)
export class Bootstrap extends FwLifeCycle {
  initFwApp(ctx) {
    if (process.env.FAILS) throw new Error('the start fails')
    if (process.env.WAITS) {
      console.log('{"msg":"waits"}')
      return new Promise(() => {})
    }
    microServlet((r) => ({
      pid: r.get('/', pid),
      events: r.get('/events', async (c) => c.response.sse((async function* () {
        yield pid()
        await new Promise((resolve) => c.request.http.signal.addEventListener('abort', resolve))
      })())),
      post: r.post('/', pid),
      block: r.get('/block', () => {
        console.log('{"msg":"blocks"}')
        for (;;);
      }),
      grow: r.get('/grow', () => {
        held.push(Buffer.alloc(500 * 1024 ** 2, 1))
        return pid()
      }),
    })).mount(ctx)
  }
}
`,
  'src/main/resources/application.yml': `secretKeyBase: ${'0123456789abcdef'.repeat(3)}
server: { hosts: "*" }
accessLog: { enabled: false }
${configuration}`,
})

export interface StartOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The path of Node's executable; default: that of this process. */
  readonly node?: string
  /** The file descriptor of a listening socket, which the process gets as systemd would pass it. */
  readonly socket?: number
}

export class StartedWorkers {
  readonly child: ChildProcess
  readonly exited: Promise<unknown[]>
  #output = ''

  constructor(root: string, options: StartOptions = {}) {
    const { args = [], env = {}, socket, node = process.execPath } = options
    const command = [node, ...fwCommand, 'start', ...args]
    const place = {
      cwd: root,
      env: { ...visibleEnvironment(), FW_ENV: 'production', ...env },
    }
    // The shell sets LISTEN_PID to the id of the process, as systemd does.
    this.child =
      socket === undefined
        ? spawn(command[0]!, command.slice(1), place)
        : spawn('sh', ['-c', 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"', 'sh', ...command], {
            ...place,
            stdio: ['ignore', 'pipe', 'pipe', socket],
          })
    this.exited = once(this.child, 'exit')
    for (const stream of [this.child.stdout, this.child.stderr])
      stream!.setEncoding('utf8').on('data', (text: string) => (this.#output += text))
  }

  get lines(): string[] {
    return this.#output.split('\n').slice(0, -1)
  }

  /** Returns the number of lines that contain the text. */
  count(text: string): number {
    return this.lines.filter((line) => line.includes(text)).length
  }

  /** Returns the field `url` of the first log line that contains the text. */
  url(text = 'listening on'): string {
    const line = this.lines.find((one) => one.includes(text)) ?? '{}'
    return (JSON.parse(line) as { readonly url: string }).url
  }

  /** Kills the primary process; its workers end with it. */
  kill(): void {
    this.child.kill('SIGKILL')
  }
}

/** Returns the ids of the worker processes that respond to ten requests, each on a new connection. */
export async function respondingPids(url: string): Promise<number[]> {
  const found = new Set<number>()
  for (let request = 0; request < 10; request++) {
    const response = await fetch(url, { headers: { connection: 'close' } })
    found.add(Number(await response.text()))
  }
  return [...found].toSorted((a, b) => a - b)
}
