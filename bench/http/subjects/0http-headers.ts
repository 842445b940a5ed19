/** 0http with the security headers that the baseline and Fw send. */
import { securityHeaders } from '../baseline.ts'
import { serveZero } from '../zero-app.ts'

export const serve = (): Promise<number> => serveZero(securityHeaders)
