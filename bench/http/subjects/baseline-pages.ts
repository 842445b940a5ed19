/** The baseline of `FwController`, which sends strings as HTML. */
import { baseline } from '../baseline.ts'

export const serve = (): Promise<number> => baseline('text/html; charset=utf-8')
