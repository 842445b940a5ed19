import { expect, test } from 'vitest'
import { MetricRegistry } from './exposition.ts'

test('label values beyond the maximum of 5,000 series share the series `other`', () => {
  const registry = new MetricRegistry(undefined)
  const jobs = registry.addCounters('jobs_total', 'Jobs.', ['kind'])
  for (let kind = 0; kind < 5_010; kind++) jobs.get([String(kind)]).add(1)
  const text = registry.format()
  expect(text).toContain('jobs_total{kind="4999"} 1\n')
  expect(text).toContain('jobs_total{kind="other"} 10\n')
  expect(text).not.toContain('kind="5000"')
})
