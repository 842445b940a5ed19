/** An edit that changes nothing, on the embedded engine. */
import { vi } from 'vitest'
import { engines } from '../../src/runtime/db/engines.fixture.ts'
import { testUnchangedEdits } from './unchanged-edits.ts'

vi.stubEnv('FW_TEST_DATABASE_URL', '')
vi.stubEnv('DATABASE_URL', '')
await testUnchangedEdits(() => engines[0]!.open())
vi.unstubAllEnvs()
