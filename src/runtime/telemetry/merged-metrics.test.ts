import { describe, expect, test } from 'vitest'
import { MetricRegistry } from './exposition.ts'
import { MergedMetrics } from './merged-metrics.ts'

/** A worker with one metric of each kind. */
function worker(id: number) {
  const registry = new MetricRegistry(id)
  const jobs = registry.addCounters('jobs_total', 'Jobs.', ['kind'])
  const times = registry.addHistograms('time_seconds', 'Times.')
  const gauges = { open: id, memory: 10 * id }
  registry.addReading('gauge', 'open', 'Open.', () => gauges.open)
  registry.addReading('gauge', 'memory', 'Memory.', () => gauges.memory, 'worker')
  registry.addReading('gauge', 'info', 'Info.', () => 1, 'max')
  return { jobs, times, registry }
}

const samples = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#') && !line.includes('_bucket'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  )

describe('the metrics of several workers', () => {
  test('are sums, except for what is a property of one worker', () => {
    const merged = new MergedMetrics()
    for (const id of [1, 2]) {
      const { jobs, times, registry } = worker(id)
      jobs.get(['mail']).add(id)
      times.get().observe(id)
      merged.set(id, registry.snapshot())
    }
    expect(samples(merged.format(new Set([1, 2])))).toEqual({
      'jobs_total{kind="mail"}': 3,
      time_seconds_sum: 3,
      time_seconds_count: 2,
      open: 3,
      'memory{worker="1"}': 10,
      'memory{worker="2"}': 20,
      info: 1,
    })
  })

  test('keep the counts of a worker that has ended, or that does not answer, without its gauges', () => {
    const merged = new MergedMetrics()
    const [first, second] = [worker(1), worker(2)]
    first.jobs.get(['mail']).add(5)
    merged.set(1, first.registry.snapshot())
    second.jobs.get(['mail']).add(7)
    merged.set(2, second.registry.snapshot())
    const withoutFirst = { 'jobs_total{kind="mail"}': 12, 'memory{worker="2"}': 20, open: 2 }
    const silent = samples(merged.format(new Set([2])))
    expect(silent).toMatchObject(withoutFirst)
    expect(silent).not.toHaveProperty('memory{worker="1"}')
    merged.end(1)
    expect(samples(merged.format(new Set([2])))).toEqual(silent)
    merged.end(2)
    expect(samples(merged.format(new Set()))).toMatchObject({ 'jobs_total{kind="mail"}': 12 })
  })

  test('a worker counts once, however often it reports', () => {
    const merged = new MergedMetrics()
    const { jobs, registry } = worker(1)
    for (const expected of [1, 2]) {
      jobs.get(['mail']).add(1)
      merged.set(1, registry.snapshot())
      expect(samples(merged.format(new Set([1])))).toMatchObject({
        'jobs_total{kind="mail"}': expected,
      })
    }
  })
})
