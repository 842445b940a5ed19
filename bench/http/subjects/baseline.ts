/** The yardstick: `node:http` by hand, as well as one can write it, sending what the micro layer sends. */
import { baseline } from '../baseline.ts'

export const serve = (): Promise<number> => baseline('text/plain; charset=utf-8')
