/** base: the ground every room stands on: errors, logging, dates, small predicates. */
export { FwError, HttpError } from './base/errors.ts'
export type { ErrorCode } from './base/error-codes.ts'
export { isPromise } from './base/promise.ts'
export type { Logger, LogFields, LogLevel } from './base/logger.ts'
export { jsonLogger, silentLogger } from './base/logger.ts'
export { Temporal } from './base/temporal.ts'
