/** Tests mails of processes that are killed, on a PostgreSQL server and an SMTP server: a mail is sent at least once. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase, type Database } from '../../src/runtime/db.ts'
import {
  emptyDatabaseOn,
  hasTestServer,
  type EmptyDatabase,
} from '../../src/runtime/db/test-server.fixture.ts'
import { jobMigration } from '../../src/runtime/jobs.ts'
import { generateViews } from '../../src/templates/compile.ts'
import { startSmtpServer } from '../../src/runtime/mail/smtp-server.fixture.ts'
import { eventually } from '../support/data-app.ts'
import { FwProcess } from '../support/fw-process.ts'
import { temporaryFolder } from '../support/serve.ts'

const hasServer = await hasTestServer()

const files = {
  'package.json': '{ "type": "module" }',
  'src/main/resources/application.yml': `secretKeyBase: ${'0123456789abcdef'.repeat(3)}
server: { hosts: "*" }
accessLog: { enabled: false }
mail: { url: "\${MAIL_URL}", from: shop@example.com }
`,
  'src/main/webapp/WEB-INF/mail/welcome.txt.ssp': '<%@val name: string %>\nHello ${name}',
  'src/main/mail/welcome-mail.ts': `
import { ParamType } from 'fwjs'
import { mailer } from 'fwjs/mail'

export const WelcomeMail = mailer('welcome', { name: ParamType.String }, ({ name }) => ({
  to: 'ann@example.com',
  subject: 'Welcome',
  values: { name },
}))
`,
  'src/main/bootstrap.ts': `
import { FwController, FwLifeCycle, mix, routes, TxPerRequestFilter } from 'fwjs'
import { currentDatabase } from 'fwjs/db'
import { WelcomeMail } from './mail/welcome-mail.ts'

class Users extends mix(FwController, TxPerRequestFilter) {
  async create() {
    const name = this.params.get('name')
    const sql = 'insert into users values ($1)'
    await currentDatabase().query({ sql, parameters: [name] })
    await WelcomeMail.send({ name })
    if (name === 'killed')
      this.transaction.afterCommit(() => process.kill(process.pid, 'SIGKILL'))
    return 'created'
  }
}
const users = routes(Users, (r) => ({ create: r.post('/users/:name', 'create') }))
export class Bootstrap extends FwLifeCycle {
  initFwApp(ctx) {
    users.mount(ctx)
  }
}
`,
}

describe.skipIf(!hasServer)('mails on a server', () => {
  let own: EmptyDatabase
  let database: Database
  let root: string

  beforeAll(async () => {
    own = await emptyDatabaseOn('mail')
    database = await openDatabase({ kind: 'postgres', url: own.url, poolSize: 3 })
    for (const sql of [...jobMigration.up, 'create table users (name text)']) await rows(sql)
  })
  afterAll(async () => {
    await database.close()
    await own.drop()
  })
  beforeEach(async () => {
    for (const table of ['fw_jobs', 'users']) await rows(`delete from ${table}`)
    root = temporaryFolder(files)
    symlinkSync(join(import.meta.dirname, '../../node_modules'), join(root, 'node_modules'))
    generateViews({ root })
  })

  const rows = async <Row = Record<string, unknown>>(sql: string): Promise<Row[]> =>
    (await database.query<Row>({ sql, parameters: [] })).rows
  const count = async (from: string): Promise<number> =>
    (await rows<{ n: number }>(`select count(*)::int as n from ${from}`))[0]!.n
  const start = ({ port }: { readonly port: number }, ...args: string[]) =>
    new FwProcess(root, args, {
      DATABASE_URL: own.url,
      MAIL_URL: `smtp://127.0.0.1:${port}`,
    })
  const startJobs = (server: { readonly port: number }) =>
    start(server, 'jobs').logs('running jobs')

  test('kill -9 of the web process after COMMIT: the mail is sent once a process runs jobs', async () => {
    const server = await startSmtpServer({ authOptional: true })
    const web = await start(server, 'start', '--port', '0', '--host', '127.0.0.1').logs(
      'listening on',
    )
    const create = fetch(`${web.url}/users/killed`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    await expect(create).rejects.toThrow()
    expect((await web.exited)[1]).toBe('SIGKILL')
    expect([await count('users'), await count('fw_jobs')]).toEqual([1, 1])
    expect(server.received).toEqual([])
    await startJobs(server)
    await eventually(() => count('fw_jobs')).toBe(0)
    expect(server.received.map(({ email }) => email.text?.trim())).toEqual(['Hello killed'])
  })

  test('kill -9 between the reply of the mail server and the end of the job: the mail is sent again, with its Message-ID', async () => {
    const [locked, unlocked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let lock: Promise<void> | undefined
    // Locks the row of the job before the server accepts the first mail, so that the end of the job waits.
    const server = await startSmtpServer({ authOptional: true }, async () => {
      lock ??= database.transaction(async () => {
        await rows('select id from fw_jobs for update')
        locked.resolve()
        await unlocked.promise
      })
      await locked.promise
    })
    await rows(`insert into fw_jobs (name, queue, priority, arguments, created_at, run_at) values
      ('mail.welcome', 'default', 0, '{"name": "Ann", "mailKey": "key-1"}', now(), now())`)
    const jobs = await startJobs(server)
    const waiting = `pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await eventually(() => count(waiting)).toBe(1)
    expect(server.received).toHaveLength(1)
    jobs.child.kill('SIGKILL')
    await jobs.exited
    await rows(`select pg_terminate_backend(pid) from ${waiting}`)
    unlocked.resolve()
    await lock
    // The lease of the killed process ends.
    await rows(`update fw_jobs set run_at = run_at - interval '1 minute'`)
    await startJobs(server)
    await eventually(() => count('fw_jobs')).toBe(0)
    const ids = server.received.map(({ email }) => email.messageId)
    expect(ids).toEqual(['<key-1@example.com>', '<key-1@example.com>'])
  })
})
