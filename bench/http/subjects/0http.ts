/** 0http, which sends neither security headers nor a cache policy. */
import { serveZero } from '../zero-app.ts'

export const serve = (): Promise<number> => serveZero()
