/** Processor time of processes, to the nanosecond: it leaves out whatever else runs on the machine. */
import { readdirSync, readFileSync } from 'node:fs'

/** Seconds that every thread of a process has run so far; 0 for one that has ended. */
export function processorTime(pid: number): number {
  const tasks = `/proc/${pid}/task`
  try {
    return readdirSync(tasks).reduce((sum, task) => sum + timeOf(`${tasks}/${task}/schedstat`), 0)
  } catch {
    return 0
  }
}

const timeOf = (file: string): number => Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e9
