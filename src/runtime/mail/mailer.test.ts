/** Mailers on every engine: jobs that send mails to a real SMTP server, and what becomes of them. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { testProject, type TestProject } from '../../../test/view/project.ts'
import { generateViews } from '../../templates/compile.ts'
import { ApplicationScope, Configuration, readSettings } from '../config.ts'
import { logStatements, sentStatements, type Database } from '../db.ts'
import { engines } from '../db/engines.fixture.ts'
import { MessageCatalog } from '../i18n.ts'
import { definedJobs, runJobs } from '../jobs.ts'
import { eventually, rowsOf, startRunner, useJobs } from '../jobs/runner.fixture.ts'
import { ParamType } from '../params.ts'
import { createViewEngine, type ViewEngine } from '../view.ts'
import { MailService, openMailService } from './mail-service.ts'
import { mailer } from './mailer.ts'
import { mailSettings } from './settings.ts'
import { startSmtpServer, type SmtpServer } from './smtp-server.fixture.ts'
import { SmtpTransport } from './smtp-transport.ts'

let project: TestProject
let views: ViewEngine
beforeAll(async () => {
  project = testProject({
    'mail/order.txt.ssp': '<%@val name: string %>\nHello ${name}',
    'mail/admin/report.txt.ssp': 'Report',
  })
  generateViews(project)
  views = createViewEngine({ ...project, mode: 'production' })
  await views.load()
})
afterAll(() => project.remove())

const Order = mailer(
  'order',
  { to: ParamType.array(ParamType.String), name: ParamType.String },
  (values) =>
    values.name === ''
      ? undefined
      : { to: values.to, subject: 'Order', values: { name: values.name } },
)
const Report = mailer('admin/report', {}, () => ({
  to: 'ann@example.com',
  from: 'admin@example.org',
  subject: 'Report',
}))

/** Runs an application whose mail server is a new SMTP server, until the test ends. */
async function openService(
  url = (server: SmtpServer) => `smtp://127.0.0.1:${server.port}`,
  timeout = '1m',
) {
  const server = await startSmtpServer({ authOptional: true })
  const configuration = Configuration.from({
    mail: { url: url(server), from: 'shop@example.com', timeout },
  })
  const { mail: settings } = readSettings(configuration, mailSettings)
  const urls = { origin: undefined, path: () => '', assetPath: () => '' }
  const services = { settings, views, messages: MessageCatalog.from({}), urls }
  const service = new MailService(services, new SmtpTransport(settings.url!, settings))
  onTestFinished(openMailService(new ApplicationScope(configuration), service))
  return server
}

const jobRows = (database: Database) =>
  rowsOf<{ name: string; error: string | null; arguments: string }>(
    database,
    'select name, queue, priority, attempt, error, dead_at is not null as dead, arguments::text from fw_jobs order by id',
  )
const recipients = ({ received }: SmtpServer) => received.map((mail) => mail.recipients)

describe.each(engines)('on $name', (engine) => {
  const opened = useJobs(engine)

  test('a mail is sent exactly if the transaction commits, and costs it one statement', async () => {
    const server = await openService()
    const database = opened()
    const statements = await logStatements(async () => {
      await database.transaction(() => Order.send({ to: ['ann@example.com'], name: 'Ann <b>' }))
      return sentStatements().map(({ sql }) => sql)
    })
    expect(statements.filter((sql) => !/^(?:begin|commit)\b/i.test(sql))).toHaveLength(1)
    expect(server.connections).toBe(0)
    const failing = database.transaction(async () => {
      await Order.send({ to: ['bob@example.com'], name: 'Bob' })
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await jobRows(database)).toHaveLength(1)
    expect(await runJobs()).toBe(1)
    expect(recipients(server)).toEqual([['ann@example.com']])
    expect(server.received[0]!.email.text).toContain('Hello Ann <b>')
    expect(await jobRows(database)).toEqual([])
  })

  test('a running worker sends at once; options of the job apply', async () => {
    const server = await openService()
    const database = opened()
    await startRunner(database)
    await Order.send({ to: ['ann@example.com'], name: 'Ann' }, { in: '1 hour' })
    await Report.send({})
    await eventually(
      () => server.received.length,
      (count) => count > 0,
    )
    expect(server.received[0]!.email.from?.address).toBe('admin@example.org')
    expect(server.received[0]!.email.messageId).toMatch(/^<[\da-f-]{36}@example\.org>$/)
    const waiting = await eventually(
      () => jobRows(database),
      ({ length }) => length === 1,
    )
    expect(waiting).toMatchObject([{ name: 'mail.order', attempt: 0 }])
  })

  test('a mailer without a message sends nothing', async () => {
    const server = await openService()
    await Order.send({ to: ['ann@example.com'], name: '' })
    expect(await runJobs()).toBe(1)
    expect(server.connections).toBe(0)
    expect(await Order.sendNow({ to: ['ann@example.com'], name: '' })).toBe(false)
    expect(await Order.sendNow({ to: ['ann@example.com'], name: 'Ann' })).toBe(true)
    expect(recipients(server)).toEqual([['ann@example.com']])
  })

  test('a refused recipient is a dead letter with the reason, at the first attempt', async () => {
    const server = await openService()
    const database = opened()
    await Order.send({ to: ['nobody@example.com'], name: 'Ann' })
    await expect(runJobs()).rejects.toThrow('550 5.1.1 No such user here')
    expect(await jobRows(database)).toMatchObject([
      {
        attempt: 1,
        dead: true,
        error: `127.0.0.1:${server.port} refused the mail: nobody@example.com: 550 5.1.1 No such user here`,
      },
    ])
    expect(await runJobs()).toBe(0)
  })

  test('a greylisted recipient gets the mail at the next attempt, with the same Message-ID', async () => {
    const server = await openService()
    const database = opened()
    await Order.send({ to: ['busy@example.com'], name: 'Ann' })
    await expect(runJobs()).rejects.toMatchObject({ code: 'mail.not-sent' })
    const [row] = await jobRows(database)
    expect(row).toMatchObject({
      attempt: 1,
      dead: false,
      error: expect.stringContaining('451 4.7.1 Greylisted, try again later'),
    })
    expect(await runJobs()).toBe(1)
    expect(recipients(server)).toEqual([['busy@example.com']])
    const { mailKey } = JSON.parse(row!.arguments) as { readonly mailKey: string }
    expect(server.received[0]!.email.messageId).toBe(`<${mailKey}@example.com>`)
  })

  test('a stalled connection and a wrong login run again', async () => {
    await openService(undefined, '300ms')
    const database = opened()
    await Order.send({ to: ['stall@example.com'], name: 'Ann' })
    await expect(runJobs()).rejects.toMatchObject({ code: 'mail.not-sent' })
    expect(await jobRows(database)).toMatchObject([
      { attempt: 1, dead: false, error: expect.stringMatching(/time(?:d )?out/i) },
    ])
    await database.query({ sql: 'delete from fw_jobs', parameters: [] })
    await openService(({ port }) => `smtp://shop:wrong@127.0.0.1:${port}`)
    await Order.send({ to: ['ann@example.com'], name: 'Ann' })
    await expect(runJobs()).rejects.toMatchObject({ code: 'mail.settings-refused' })
    expect(await jobRows(database)).toMatchObject([
      { dead: false, error: expect.stringContaining('535') },
    ])
  })

  test('if some recipients are refused, the others get one mail, and the refused a job of their own', async () => {
    const server = await openService()
    const database = opened()
    const to = ['ann@example.com', 'nobody@example.com', 'busy@example.com']
    await Order.send({ to, name: 'Ann' }, { queue: 'slow', priority: 7 })
    // The second attempt delivers to the greylisted recipient, and the third is a dead letter for the last one.
    await expect(runJobs()).rejects.toThrow('nobody@example.com: 550')
    expect(recipients(server)).toEqual([['ann@example.com'], ['busy@example.com']])
    const [row, ...others] = await jobRows(database)
    expect(others).toEqual([])
    expect(row).toMatchObject({ dead: true, queue: 'slow', priority: 7 })
    expect(JSON.parse(row!.arguments)).toMatchObject({ mailRecipients: ['nobody@example.com'] })
  })
})

test.each(['mailKey', 'mailRecipients'])('a mailer has no argument %s', (name) => {
  const define = () => mailer('reserved', { [name]: ParamType.String }, () => undefined)
  expect(define).toThrow(`The mailer 'reserved' has an argument '${name}'`)
})

test('a mailer is a job; without a mail server, sending fails before anything is stored', async () => {
  expect(definedJobs().map(({ name }) => name)).toEqual(
    expect.arrayContaining(['mail.order', 'mail.admin.report']),
  )
  await expect(Report.send({})).rejects.toMatchObject({ code: 'mail.not-configured' })
})
