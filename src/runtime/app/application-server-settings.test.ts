import { expect, test } from 'vitest'
import { silentLogger } from '../base.ts'
import { Configuration, FwEnv, readSettings } from '../config.ts'
import { applicationServerSettings } from './application-server-settings.ts'
import { applicationSettings } from './settings.ts'

test('the limit of a request follows from the largest body and the minimum rate', () => {
  const read = (values: Record<string, unknown>) => {
    const env = new FwEnv('test')
    const settings = readSettings(Configuration.from(values, env), applicationSettings)
    return applicationServerSettings(settings, silentLogger, env, 1).requestTimeout
  }
  const upload = { maxRequestSize: '24MiB' }
  expect(read({ upload, server: { minBodyRate: 24 * 1024 } })).toBe(60_000 + 1_024_000)
  expect(read({ upload, server: { minBodyRate: 24 * 1024, requestTimeout: '70s' } })).toBe(70_000)
  expect(read({ upload, server: { minBodyRate: 0 } })).toBe(60_000)
  expect(read({})).toBeGreaterThan(10 * 60_000)
})
