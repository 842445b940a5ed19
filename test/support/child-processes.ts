/** The processes that another one has begun, where the kernel tells. */
import { existsSync, readFileSync } from 'node:fs'

const file = (pid: number): string => `/proc/${pid}/task/${pid}/children`

/** False without /proc, and where the kernel was built without this file. */
export const canListChildren = existsSync(file(process.pid))

export const childrenOf = (pid: number): number[] =>
  readFileSync(file(pid), 'utf8').trim().split(' ').filter(Boolean).map(Number)
