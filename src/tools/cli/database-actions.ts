/** The buttons on the error page of a failed migration. They run commands such as `fw db:migrate`. */
import { spawn } from 'node:child_process'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { programFile } from '../../runtime/base.ts'
import { escapeXml as escape, HttpResponse, type HttpRequest } from '../../runtime/http.ts'
import { isLocalRequest } from '../dev.ts'

const path = '/_fw/database'
const commands = new Map([
  ['db:migrate', 'Run the migrations again'],
  ['db:rollback', 'Roll back the last applied migration'],
])
/** The command that deletes all rows. Its button is hidden until the developer unfolds it. */
const reset = 'db:reset'
const maxBody = 1024
const program = programFile('tools/cli/main')

/** Runs a command in a separate process, which accesses an embedded database through the socket of `fw run`. */
function runCommand(command: string, root: string): Promise<string> {
  const child = spawn(process.execPath, [...process.execArgv, program, command, '--app', root], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => (output = (output + String(text)).slice(-4096)))
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', () => resolve(output))
  })
}

export class DatabaseActions {
  readonly #root: string
  readonly #token: string
  readonly #onDone: (command: string) => void

  constructor(root: string, secret: string, onDone: (command: string) => void) {
    this.#root = root
    this.#token = createHmac('sha256', secret).update(path).digest('hex')
    this.#onDone = onDone
  }

  /** The HTML form with the buttons; it works without scripts. */
  get html(): string {
    const buttons = [...commands].map(
      ([name, label]) => `<button name="run" value="${name}">${escape(label)}</button>`,
    )
    const last = `<details><summary>Reset the database …</summary><p>This deletes all rows, applies all migrations and runs the seeds.</p><button name="run" value="${reset}">Delete all rows</button></details>`
    return `<section><h2>Database</h2><form method="post" action="${path}"><input type="hidden" name="token" value="${this.#token}">${buttons.join(' ')}${last}</form></section>`
  }

  /**
   * Runs the requested command; `undefined` for another path. Refuses requests from other origins or without the page's token.
   */
  respond(request: HttpRequest): HttpResponse | Promise<HttpResponse> | undefined {
    if (request.target !== path || request.method !== 'POST') return undefined
    const site = request.header('sec-fetch-site')
    const isForeign = site !== undefined && site !== 'same-origin'
    if (!isLocalRequest(request) || isForeign) return new HttpResponse(403, 'Not allowed.')
    return this.#run(request)
  }

  async #run(request: HttpRequest): Promise<HttpResponse> {
    const form = new URLSearchParams(Buffer.from(await request.body.bytes(maxBody)).toString())
    const command = form.get('run') ?? ''
    if (!this.#isToken(form.get('token') ?? '') || !(commands.has(command) || command === reset))
      return new HttpResponse(403, 'Not allowed.')
    const output = await runCommand(command, this.#root)
    process.stdout.write(output)
    this.#onDone(`fw ${command}`)
    const response = new HttpResponse(303)
    response.headers.set('Location', '/')
    return response
  }

  #isToken(given: string): boolean {
    const [one, other] = [Buffer.from(given), Buffer.from(this.#token)]
    return one.length === other.length && timingSafeEqual(one, other)
  }
}
