import cluster from 'node:cluster'
import { expect, onTestFinished, test, vi } from 'vitest'
import { silentLogger } from '../../runtime/base.ts'
import { WorkerPool } from './worker-pool.ts'

test('workers that the system refuses at once fail the start, and are logged', async () => {
  const fork = vi.spyOn(cluster, 'fork').mockImplementation(() => {
    throw new Error('spawn ENOMEM')
  })
  onTestFinished(() => fork.mockRestore())
  const problems: unknown[] = []
  const pool = new WorkerPool({
    count: 2,
    memoryLimit: undefined,
    stuckAfter: 1000,
    write: () => {},
    logger: { ...silentLogger, error: (fields) => void problems.push(fields) },
  })
  await expect(pool.start()).rejects.toMatchObject({ code: 'cli.worker-failed' })
  expect(problems).toEqual([{ problem: 'spawn ENOMEM' }, { problem: 'spawn ENOMEM' }])
})
