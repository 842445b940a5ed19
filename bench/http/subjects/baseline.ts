/** The baseline: an optimised `node:http` server that sends the same bytes as the micro layer. */
import { baseline } from '../baseline.ts'

export const serve = (): Promise<number> => baseline('text/plain; charset=utf-8')
