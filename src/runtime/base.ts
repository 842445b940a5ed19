/** base: errors, logging, elapsed time, dates and small predicates. Every module may import it. */
export { Temporal } from 'temporal-polyfill'
export {
  bindCurrentRequest,
  currentRequest,
  type CurrentRequest,
  outsideRequests,
  runWithRequest,
  withRequestIds,
} from './base/current-request.ts'
export { AsyncContext } from './base/async-context.ts'
export { logRepeated } from './base/repeated-log.ts'
export { keepDateText, keptDateText } from './base/date-text.ts'
export { definedMembers } from './base/defined-members.ts'
export { didYouMean, editDistance } from './base/did-you-mean.ts'
export { type Duration, parseAmount, parseDuration, toMilliseconds } from './base/duration.ts'
export { warnElapsedTime } from './base/elapsed-time.ts'
export type { ErrorCode } from './base/error-codes.ts'
export { FwError, HttpError } from './base/errors.ts'
export { IndexedList, type Listed } from './base/indexed-list.ts'
export { LogSink } from './base/log-sink.ts'
export {
  escapeControls,
  jsonLogger,
  type LogFields,
  type Logger,
  type LogLevel,
  prettyLogger,
  silentLogger,
  withFields,
} from './base/logger.ts'
export { decodeOrKeep, outOfRangeError, OutOfRangeValue } from './base/out-of-range-value.ts'
export { codeFolder, packageFile, moduleFile } from './base/package-files.ts'
export { isPromise, type MaybePromise } from './base/promise.ts'
export { takeRandomBytes, createUuidV7 } from './base/random.ts'
export { isSecretName, redact, redacted, redactText } from './base/redact.ts'
export { shedChannel, type ShedEvent, WorkChannel, WorkEvent } from './base/work-channel.ts'
