/** Metrics of the process: event loop, garbage collection, memory, and CPU time. */
import {
  constants,
  monitorEventLoopDelay,
  PerformanceObserver,
  performance,
  type EventLoopUtilization,
} from 'node:perf_hooks'
import type { MetricRegistry } from './exposition.ts'

/** The time in milliseconds between two measurements of the event loop's delay. */
const resolution = 20

/** Adds the metrics of the process to `registry`. Measures until the returned function is called. */
export function addRuntimeMetrics(registry: MetricRegistry): () => void {
  addMemory(registry)
  // Bun supports neither event-loop nor garbage-collection measurements.
  if (process.versions['bun'] !== undefined) return () => {}
  addUtilization(registry)
  const stopDelay = addLoopDelay(registry)
  const stopCollections = addCollections(registry)
  return () => {
    stopDelay()
    stopCollections()
  }
}

function addMemory(registry: MetricRegistry): void {
  const started = Date.now() / 1000 - process.uptime()
  const gauge = (name: string, help: string, read: () => number): void =>
    registry.addReading('gauge', name, help, read, 'worker')
  const { memoryUsage } = process
  gauge('process_resident_memory_bytes', 'Memory of the process (RSS).', () => memoryUsage.rss())
  gauge('nodejs_heap_used_bytes', 'Used heap of V8.', () => memoryUsage().heapUsed)
  gauge('nodejs_heap_total_bytes', 'Heap of V8.', () => memoryUsage().heapTotal)
  const help = 'Memory of buffers and other objects outside the heap.'
  gauge('nodejs_external_memory_bytes', help, () => memoryUsage().external)
  gauge('process_start_time_seconds', 'Start of the process, Unix time.', () => started)
  const seconds = (): number => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  const cpuHelp = 'User and system CPU time of the process.'
  registry.addReading('counter', 'process_cpu_seconds_total', cpuHelp, seconds)
}

/** Adds the percentiles of the event loop's delay since the previous scrape. */
function addLoopDelay(registry: MetricRegistry): () => void {
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  const read = () => {
    const samples = [50, 90, 99, 100].map((percent) => ({
      labels: { quantile: String(percent / 100) },
      value: Math.max(0, delay.percentile(percent) / 1e9 - resolution / 1000),
    }))
    delay.reset()
    return samples
  }
  const help = 'How late timers ran since the previous scrape.'
  registry.addReading('gauge', 'nodejs_eventloop_delay_seconds', help, read, 'worker')
  return () => delay.disable()
}

function addUtilization(registry: MetricRegistry): void {
  let last: EventLoopUtilization | undefined
  const share = (): number => {
    const now = performance.eventLoopUtilization()
    const { utilization } = last === undefined ? now : performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
  const help = 'Share of time in which the event loop was busy, since the previous scrape.'
  registry.addReading('gauge', 'nodejs_eventloop_utilization', help, share, 'worker')
  const times = () => {
    const { active, idle } = performance.eventLoopUtilization()
    return [
      { labels: { state: 'active' }, value: active / 1000 },
      { labels: { state: 'idle' }, value: idle / 1000 },
    ]
  }
  const timeHelp = 'Time of the event loop, busy and idle.'
  registry.addReading('counter', 'nodejs_eventloop_time_seconds_total', timeHelp, times)
}

const kinds: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
}

function addCollections(registry: MetricRegistry): () => void {
  const name = 'v8js_gc_duration_seconds'
  const durations = registry.addHistograms(name, 'Garbage collections.', ['v8js_gc_type'])
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind } = (entry as unknown as { readonly detail: { readonly kind: number } }).detail
      durations.get([kinds[kind] ?? 'other']).observe(entry.duration / 1000)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => observer.disconnect()
}
