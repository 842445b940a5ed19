/** Reads the processor time of processes in nanoseconds, which excludes other programs. */
import { readdirSync, readFileSync } from 'node:fs'

/** Seconds of processor time of all threads of a process; 0 after it has ended. */
export function processorTime(pid: number): number {
  const tasks = `/proc/${pid}/task`
  try {
    return readdirSync(tasks).reduce((sum, task) => sum + timeOf(`${tasks}/${task}/schedstat`), 0)
  } catch {
    return 0
  }
}

const timeOf = (file: string): number => Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e9
