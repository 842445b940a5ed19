/** A start before the migrations are applied. */
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { createApp, FwLifeCycle } from '../../src/runtime/app.ts'
import { Configuration } from '../../src/runtime/config.ts'
import { migrate, openDatabase } from '../../src/runtime/db.ts'
import { emptyDatabaseOn, hasTestServer } from '../../src/runtime/db/test-server.fixture.ts'
import { recordingLogger, temporaryFolder, type LogLine } from '../support/serve.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

class Boot extends FwLifeCycle {
  override initFwApp(): void {}
}

async function ownDatabase() {
  vi.stubEnv('DATABASE_URL', '')
  const own = await emptyDatabaseOn('pending')
  onTestFinished(() => own.drop())
  const root = temporaryFolder({
    'package.json': '{ "type": "module" }',
    'db/migration/V1__notes.sql': 'create table notes (n int);',
    'db/migration/V2__index.sql':
      '-- no transaction\ncreate index concurrently notes_n on notes (n);',
  })
  const start = async (pendingMigrations?: string) => {
    const lines: LogLine[] = []
    const app = await createApp(new Boot(), {
      root,
      logger: recordingLogger(lines),
      configuration: Configuration.from({
        db: { default: { url: own.url, ...(pendingMigrations && { pendingMigrations }) } },
      }),
    })
    onTestFinished(() => app.close(0))
    return lines.map(({ message }) => message).join('\n')
  }
  return { url: own.url, folder: `${root}/db/migration`, start }
}

const hasServer = await hasTestServer()

test.skipIf(!hasServer)(
  'logs a warning that names them, unless it is told to ignore them',
  async () => {
    const { start } = await ownDatabase()
    expect(await start()).toContain('migrations are pending')
    expect(await start('ignore')).not.toContain('migrations are pending')
  },
)

test.skipIf(!hasServer)('fails where configured, until they are applied', async () => {
  const { url, folder, start } = await ownDatabase()
  await expect(start('error')).rejects.toMatchObject({
    code: 'db.migrations-pending',
    message: expect.stringMatching(/1 notes, 2 index.*fw db:migrate/) as string,
  })
  const database = await openDatabase({ kind: 'postgres', url })
  await migrate(database, folder)
  await database.close()
  expect(await start('error')).not.toContain('migrations are pending')
})
