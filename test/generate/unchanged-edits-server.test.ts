/** An edit that changes nothing, on a PostgreSQL server. */
import { describe, vi } from 'vitest'
import { servers } from '../../src/runtime/db/engines.fixture.ts'
import { testServerUrl } from '../../src/runtime/db/test-server.fixture.ts'
import { testUnchangedEdits } from './unchanged-edits.ts'

describe.runIf(servers.length > 0)('on a server', async () => {
  vi.stubEnv('FW_TEST_DATABASE_URL', testServerUrl)
  await testUnchangedEdits(() => servers[0]!.open())
  vi.unstubAllEnvs()
})
