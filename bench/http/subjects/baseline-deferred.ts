/** The yardstick with the one trick that Fw and 0http use: it reads all that has arrived before it answers. */
import { baseline } from '../baseline.ts'

export const serve = (): Promise<number> => baseline('text/plain; charset=utf-8', true)
