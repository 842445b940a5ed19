import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['fwjs-source', 'node', 'import', 'default'] },
  ssr: { resolve: { conditions: ['fwjs-source', 'node', 'import', 'default'] } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    env: { FW_ENV: 'test' },
    maxWorkers: 2,
  },
})
