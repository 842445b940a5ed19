/** The suites that StrykerJS runs against each mutant: those of the modules without a database. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['fwjs-source', 'node'] },
  ssr: { resolve: { conditions: ['fwjs-source', 'node'] } },
  test: {
    env: { FW_ENV: 'test' },
    testTimeout: 60_000,
    include: ['src/runtime/{http,params,routing,session}/**/*.test.ts'],
    exclude: ['src/runtime/session/session-store.test.ts'],
  },
})
