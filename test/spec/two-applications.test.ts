/** Two applications in one process: each has its own configuration and databases. */
import { expect, it, onTestFinished, vi } from 'vitest'
import {
  createApp,
  FwLifeCycle,
  FwSessionInitializer,
  type ServletContext,
} from '../../src/runtime/app.ts'
import { Configuration, FwConfig } from '../../src/runtime/config.ts'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { currentDatabase } from '../../src/runtime/db.ts'
import { sessionMigrationText } from '../../src/runtime/session.ts'
import { Visitor } from '../../src/tools/testing/client.ts'
import { recordingLogger, temporaryFolder } from '../support/serve.ts'

const nameOf = async (): Promise<string> => {
  const sql = 'select name from things'
  const { rows } = await currentDatabase().query<{ name: string }>({ sql, parameters: [] })
  return rows.map(({ name }) => name).join()
}

class Names extends FwController {
  async show() {
    const names = [FwConfig.stringConfigValue('title'), await nameOf()]
    // Also after a wait that belongs to no query.
    await new Promise((resolve) => setImmediate(resolve))
    const visits = Number(this.session.get('visits') ?? 0) + 1
    this.session.set('visits', visits)
    return { names, again: [FwConfig.stringConfigValue('title'), await nameOf()], visits }
  }
}

async function start(title: string) {
  const seen: unknown[] = []
  class Boot extends FwLifeCycle {
    override async initFwApp(ctx: ServletContext): Promise<void> {
      for (const sql of [
        'create table things (name text)',
        `insert into things values ('${title} default')`,
      ])
        await currentDatabase().query({ sql, parameters: [] })
      seen.push(FwConfig.stringConfigValue('title'), await nameOf())
      new FwSessionInitializer().mount(ctx)
      routes(class extends Names {}, (r) => ({ show: r.get('/', 'show') })).mount(ctx)
    }
  }
  const app = await createApp(Boot, {
    root: temporaryFolder({
      'package.json': '{ "type": "module" }',
      'db/migration/V1__sessions.sql': sessionMigrationText(),
    }),
    migrate: true,
    configuration: Configuration.from({
      title,
      'db.default.folder': 'memory',
    }),
    logger: recordingLogger([]),
  })
  return { app, seen, visitor: new Visitor(app.fetch) }
}

const page = (title: string, visits: number) => ({
  names: [title, `${title} default`],
  again: [title, `${title} default`],
  visits,
})

it('two applications in one process have their own configuration, databases and sessions', async () => {
  vi.stubEnv('DATABASE_URL', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  const first = await start('first')
  expect((await first.visitor.get('/')).json()).toEqual(page('first', 1))
  const second = await start('second')
  try {
    expect([first.seen, second.seen]).toEqual([
      ['first', 'first default'],
      ['second', 'second default'],
    ])
    const pages = await Promise.all([
      first.visitor.get('/'),
      second.visitor.get('/'),
      first.visitor.get('/'),
    ])
    expect(pages.map((one) => (one.json() as { names: unknown }).names)).toEqual([
      page('first', 0).names,
      page('second', 0).names,
      page('first', 0).names,
    ])
    expect((await second.visitor.get('/')).json()).toEqual(page('second', 2))
  } finally {
    await second.app.close()
  }
  // Code outside requests has the databases of the application that still runs.
  expect([FwConfig.stringConfigValue('title'), await nameOf()]).toEqual(['first', 'first default'])
  expect((await first.visitor.get('/')).json()).toMatchObject({ names: page('first', 0).names })
  await first.app.close()
  expect(() => currentDatabase()).toThrow("No database 'default' is open")
})
