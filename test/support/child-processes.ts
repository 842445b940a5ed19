/** Lists the child processes of a process, from the folder /proc of Linux. */
import { existsSync, readFileSync } from 'node:fs'

const file = (pid: number): string => `/proc/${pid}/task/${pid}/children`

/** False if the kernel does not list child processes in /proc. */
export const canListChildren = existsSync(file(process.pid))

export const listChildren = (pid: number): number[] =>
  readFileSync(file(pid), 'utf8').trim().split(' ').filter(Boolean).map(Number)
