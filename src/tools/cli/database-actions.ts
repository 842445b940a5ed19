/** The buttons on the error page of a failed migration. They run commands such as `fw db:migrate`. */
import { execFile } from 'node:child_process'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { moduleFile } from '../../runtime/base.ts'
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
const program = moduleFile('tools/cli/main')

/** Runs a command in a separate process, which accesses an embedded database through the socket of `fw run`. */
const runCommand = (command: string, root: string): Promise<string> =>
  new Promise((resolve) => {
    const args = [...process.execArgv, program, command, '--app', root]
    const child = execFile(
      process.execPath,
      args,
      { maxBuffer: Infinity },
      (error, stdout, stderr) => resolve(stdout + stderr || (error ? `${error.message}\n` : '')),
    )
    // A seed file that reads stdin would otherwise wait forever.
    child.stdin?.end()
  })

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** The HTML form with the buttons; it works without scripts. */
function renderForm(token: string): string {
  const buttons = [...commands].map(
    ([name, label]) => `<button name="run" value="${name}">${escape(label)}</button>`,
  )
  const last = `<details><summary>Reset the database …</summary><p>This deletes all rows, applies all migrations and runs the seeds.</p><button name="run" value="${reset}">Delete all rows</button></details>`
  return `<section><h2>Database</h2><form method="post" action="${path}"><input type="hidden" name="token" value="${token}">${buttons.join(' ')}${last}</form></section>`
}

export type DatabaseActions = ReturnType<typeof databaseActions>

/** @param onDone called with the command line after a command has run */
export function databaseActions(root: string, secret: string, onDone: (command: string) => void) {
  const token = createHmac('sha256', secret).update(path).digest('hex')
  const run = async (request: HttpRequest): Promise<HttpResponse> => {
    const form = new URLSearchParams(Buffer.from(await request.body.bytes(maxBody)).toString())
    const command = form.get('run') ?? ''
    const isKnown = commands.has(command) || command === reset
    if (!isKnown || !isEqual(form.get('token') ?? '', token)) return notAllowed()
    process.stdout.write(await runCommand(command, root))
    onDone(`fw ${command}`)
    const response = new HttpResponse(303)
    response.headers.set('Location', '/')
    return response
  }
  return {
    html: renderForm(token),
    /** Runs the requested command; `undefined` for another path. Refuses requests of other origins or without the token. */
    respond(request: HttpRequest): HttpResponse | Promise<HttpResponse> | undefined {
      if (request.target !== path || request.method !== 'POST') return undefined
      const site = request.header('sec-fetch-site')
      const isForeign = site !== undefined && site !== 'same-origin'
      return !isLocalRequest(request) || isForeign ? notAllowed() : run(request)
    },
  }
}

const notAllowed = (): HttpResponse => new HttpResponse(403, 'Not allowed.')
