/** Compares the processor time of the generated create page with and without a job. */
import { change, removeFolder } from '../../test/generate/folder.ts'
import { emptyDatabaseOn } from '../../src/runtime/db/test-server.fixture.ts'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fwCommand, visibleEnvironment } from '../../test/support/environment.ts'
import { buildAndMigrate, createApplication } from '../create-application.ts'
import { processorTime } from '../session/processor-time.ts'

const concurrency = 8

/** Generates and builds the application. With the variable ENQUEUE, its create page enqueues a job. */
async function build(url: string): Promise<string> {
  const root = createApplication(
    'scaffold members member name:String birthday:LocalDate',
    'job welcome name:String',
  )
  const file = 'src/main/controller/application-controller.ts'
  change(root, file, 'import {', "import { Welcome } from '#main/job/welcome'\nimport {")
  const enqueue =
    "if (process.env['ENQUEUE'] && c.request.method === 'POST') await Welcome.enqueue({ name: 'Zoe' })"
  change(
    root,
    file,
    '  static {',
    `  static {\n    this.afterAction(async (c) => {\n      ${enqueue}\n    })`,
  )
  const env = environment(url)
  await buildAndMigrate(root, env)
  return root
}

const environment = (url: string) => ({
  FW_ENV: 'production',
  DATABASE_URL: url,
  SECRET_KEY_BASE: 'DZb2p0xw3RkT9uVnQmYc7sLhEa1JgXo5',
  HOSTS: 'localhost',
})

class Subject {
  readonly #child: ChildProcess
  readonly url: string
  #cookie = ''
  #token = ''

  private constructor(child: ChildProcess, url: string) {
    this.#child = child
    this.url = url
  }

  static async start(root: string, url: string, more: Readonly<Record<string, string>>) {
    const child = spawn(
      process.execPath,
      [...fwCommand, 'start', '--port', '0', '--host', '127.0.0.1'],
      {
        cwd: root,
        env: { ...visibleEnvironment(), ...environment(url), ...more },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const address = await new Promise<string>((resolve) => {
      let output = ''
      const findAddress = (text: string): void => {
        output += text
        const port = /"url":"http:\/\/[^:]+:(\d+)/.exec(output)?.[1]
        if (port === undefined) return
        // The access log is read, so that its pipe does not fill, and dropped.
        child.stdout.off('data', findAddress).resume()
        resolve(`http://localhost:${port}`)
      }
      child.stdout.setEncoding('utf8').on('data', findAddress)
    })
    const subject = new Subject(child, address)
    await subject.#visit()
    return subject
  }

  async #visit(): Promise<void> {
    const headers = { 'X-Forwarded-Proto': 'https' }
    const response = await fetch(`${this.url}/members/new`, { headers })
    this.#cookie = response.headers
      .getSetCookie()
      .map((one) => one.split(';', 1)[0]!)
      .join('; ')
    this.#token = /name="csrf-token" value="([^"]+)"/.exec(await response.text())?.[1] ?? ''
  }

  /** Microseconds of processor time of a request. */
  async cost(requests: number): Promise<number> {
    const before = processorTime(this.#child.pid!)
    let left = requests
    const client = async (): Promise<void> => {
      while (left-- > 0) await this.#create()
    }
    await Promise.all(Array.from({ length: concurrency }, client))
    return ((processorTime(this.#child.pid!) - before) * 1e6) / requests
  }

  async #create(): Promise<void> {
    const body = new URLSearchParams({
      'csrf-token': this.#token,
      name: 'Zoe',
      birthday: '2020-02-29',
    })
    const headers = { Cookie: this.#cookie, 'Sec-Fetch-Site': 'same-origin' }
    const response = await fetch(`${this.url}/members`, {
      method: 'POST',
      body,
      headers,
      redirect: 'manual',
    })
    await response.text()
    if (response.status !== 302) throw new Error(`create: ${response.status}`)
  }

  async end(): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    await exited
  }
}

/** How many runs warm each process up: V8 optimizes the code of a page after some thousand requests. */
const warmUps = 20

/**
 * Returns ratios of processor time: with a job ÷ without. Short runs of both processes alternate, so that other programs slow both.
 * Each of `processes` pairs of fresh processes measures `rounds` ratios.
 */
export async function compareCreate(
  server: string,
  processes: number,
  rounds: number,
  requests: number,
): Promise<number[]> {
  const { url, drop } = await emptyDatabaseOn('bench', server)
  const root = await build(url)
  try {
    const ratios: number[] = []
    for (let started = 0; started < processes; started++)
      ratios.push(...(await compareProcesses(root, url, rounds, requests)))
    return ratios
  } finally {
    await removeFolder(root)
    await drop()
  }
}

async function compareProcesses(
  root: string,
  url: string,
  rounds: number,
  requests: number,
): Promise<number[]> {
  const subjects = [
    await Subject.start(root, url, { ENQUEUE: '1' }),
    await Subject.start(root, url, {}),
  ]
  try {
    const ratios: number[] = []
    for (let at = -warmUps; at < rounds; at++) {
      const order = at % 2 === 0 ? [0, 1] : [1, 0]
      const costs: number[] = []
      for (const index of order) costs[index] = await subjects[index]!.cost(requests)
      if (at >= 0) ratios.push(costs[0]! / costs[1]!)
    }
    return ratios
  } finally {
    for (const subject of subjects) await subject.end()
  }
}
