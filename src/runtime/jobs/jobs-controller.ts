/** `JobsController`: pages that show the jobs of the database, run dead letters again and remove jobs. */
import { FwController, routes, type MountTarget } from '../controller.ts'
import { HttpError, redact } from '../base.ts'
import { currentDatabase } from '../db.ts'
import { type ActionResult, escapeXml, SeeOther } from '../http.ts'
import { ParamType } from '../params.ts'
import { runStatement } from './job-statement.ts'
import { countJobs, type QueueState } from './job-state.ts'

/** The options of a `JobsController`. */
export interface JobsControllerOptions {
  /** Decides whether the client may see and change the jobs; others get 403. Without `allow`, every client gets 403. */
  readonly allow?: (c: FwController) => boolean | Promise<boolean>
}

interface JobRow {
  readonly id: string
  readonly state: string
  readonly name: string
  readonly queue: string
  readonly attempt: number
  readonly arguments: string
  readonly time: string
  readonly worker: string | null
  readonly error: string | null
}

type Change = 'retry' | 'discard'

/** Returns the URL of the form that changes a job. */
type FormUrl = (change: Change, id: string) => string

/**
 * The pages of jobs. They refuse every request unless `allow` returns true:
 *
 *     new JobsController({ allow: (c) => c.session.get('isAdmin') === true }).mount(ctx, '/admin/jobs')
 *
 * Arguments with secret names are redacted.
 */
export class JobsController {
  readonly #allow: (c: FwController) => boolean | Promise<boolean>

  constructor({ allow = () => false }: JobsControllerOptions = {}) {
    this.#allow = allow
  }

  mount(ctx: MountTarget, prefix = ''): void {
    abstract class JobPages extends FwController {}
    const pages = routes(JobPages, (r) => ({
      list: r
        .get('/', (c) => this.#list(c, (action, id) => c.url(pages[action], { id })))
        .as('list'),
      retry: r.post('/:id/retry', (c) => this.#change(c, 'retry', c.url(pages.list))).as('retry'),
      discard: r
        .post('/:id/discard', (c) => this.#change(c, 'discard', c.url(pages.list)))
        .as('discard'),
    }))
    pages.describe({ hidden: true })
    pages.mount(ctx, prefix)
  }

  /** @throws HttpError 403 */
  async #check(c: FwController): Promise<void> {
    if (await this.#allow(c)) return
    throw new HttpError(403, 'jobs.not-allowed', 'The page of jobs is not for this client.')
  }

  async #list(c: FwController, url: FormUrl): Promise<string> {
    await this.#check(c)
    const [queues, { rows }] = [
      await countJobs(),
      await runStatement<JobRow>(currentDatabase(), 'list', [rowsOfState]),
    ]
    const { headers } = c.response
    headers.set('Content-Type', 'text/html; charset=utf-8')
    headers.set('Cache-Control', 'no-store')
    return page(c.ctx.cspNonce, queueTable(queues) + jobTables(rows, url))
  }

  async #change(c: FwController, statement: Change, list: string): Promise<ActionResult> {
    await this.#check(c)
    const id = c.params.getAs('id', ParamType.Uuid)
    if (id !== undefined) await runStatement(currentDatabase(), statement, [id])
    return SeeOther(list)
  }
}

/** The number of jobs of each state on the page. */
const rowsOfState = 50

const titles: Readonly<Record<string, string>> = {
  dead: 'Dead letters',
  running: 'Running',
  waiting: 'Waiting',
  delayed: 'Delayed',
}

const cells = (tag: 'td' | 'th', values: readonly (string | number)[]): string =>
  `<tr>${values.map((value) => `<${tag}>${escapeXml(String(value))}</${tag}>`).join('')}</tr>`

function queueTable(queues: readonly QueueState[]): string {
  if (queues.length === 0) return '<p>There are no jobs.</p>'
  const rows = queues.map(({ queue, waiting, delayed, running, dead, age }) =>
    cells('td', [queue, waiting, delayed, running, dead, `${Math.round(age)} s`]),
  )
  const head = ['Queue', 'Waiting', 'Delayed', 'Running', 'Dead', 'Oldest waits']
  return `<section><h2>Queues</h2><table><thead>${cells('th', head)}</thead><tbody>${rows.join('')}</tbody></table></section>`
}

const jobTables = (rows: readonly JobRow[], url: FormUrl): string =>
  Object.entries(titles)
    .map(([state, title]) => {
      const own = rows.filter((row) => row.state === state)
      return own.length === 0 ? '' : jobTable(title, own, url)
    })
    .join('')

function jobTable(title: string, rows: readonly JobRow[], url: FormUrl): string {
  const time = { Dead: 'Since', Running: 'Since' }[title.split(' ')[0]!] ?? 'From'
  const head = cells('th', ['Id', 'Job', 'Queue', 'Attempt', `${time} (UTC)`, 'Arguments', ''])
  return `<section><h2>${escapeXml(title)}</h2><table><thead>${head}</thead><tbody>${rows.map((row) => jobRow(row, url)).join('')}</tbody></table></section>`
}

function jobRow(row: JobRow, url: FormUrl): string {
  const { id, name, queue, attempt, time, worker, error, state } = row
  const values = redact(JSON.parse(row.arguments) as Record<string, unknown>)
  const fixed = [id, name, queue, attempt, time].map(
    (value) => `<td>${escapeXml(String(value))}</td>`,
  )
  const details =
    (worker === null ? '' : `<br><small>${escapeXml(worker)}</small>`) +
    (error === null
      ? ''
      : `<details><summary>${escapeXml(error.split('\n', 1)[0]!.slice(0, 200))}</summary><pre>${escapeXml(error)}</pre></details>`)
  const button = (change: Change, text: string): string =>
    `<form method="post" action="${escapeXml(url(change, id))}"><button>${text}</button></form>`
  const buttons =
    (state === 'dead' ? button('retry', 'Run again') : '') +
    (state === 'running' ? '' : button('discard', 'Remove'))
  return `<tr>${fixed.join('')}<td><code>${escapeXml(JSON.stringify(values))}</code>${details}</td><td>${buttons}</td></tr>`
}

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0 auto;max-width:80rem;padding:1rem}
section{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{border-bottom:1px solid #8886;padding:.4rem .6rem;text-align:left;vertical-align:top}
code,pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.875rem}
form{display:inline-block;margin:0 .5rem .25rem 0}`

const page = (nonce: string, body: string): string =>
  '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
  '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">' +
  `<title>Jobs</title><style nonce="${escapeXml(nonce)}">${style}</style></head><body><main><h1>Jobs</h1>${body}</main></body></html>`
