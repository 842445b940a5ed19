/** The baseline with an optimisation of Fw and 0http: it reads all arrived data before it responds. */
import { baseline } from '../baseline.ts'

export const serve = (): Promise<number> => baseline('text/plain; charset=utf-8', true)
