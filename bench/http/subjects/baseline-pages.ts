/** The yardstick of `FwController`, whose texts are pages. */
import { baseline } from '../baseline.ts'

export const serve = (): Promise<number> => baseline('text/html; charset=utf-8')
