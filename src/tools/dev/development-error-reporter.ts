/** Reports failed requests during development with an error page, and with a record from which a test can be generated. */
import { join } from 'node:path'
import type { ErrorReporter, FwContext } from '../../runtime/action.ts'
import type { FwEnv } from '../../runtime/config.ts'
import { logStatements } from '../../runtime/db.ts'
import type { HttpRequest } from '../../runtime/http.ts'
import { failedRequestPage, formatPlace, type FailedRequest } from './error-page.ts'
import { describeError } from './error-report.ts'
import { isLocalRequest } from './local-request.ts'
import { RecordFolder, recordRequest } from './request-record.ts'
import { describeRequest } from './request-report.ts'

/** Returns the folder with the records of failed requests, `tmp/errors` of the application. */
export const requestRecords = (root: string): RecordFolder =>
  new RecordFolder(join(root, 'tmp/errors'))

const failedRequest: unique symbol = Symbol('failedRequest')
type Context = FwContext & { [failedRequest]?: FailedRequest }

const storeRecord: unique symbol = Symbol('storeRecord')
/** True once the response is complete, and the transaction has ended; its body may still be streamed. */
const hasEnded: unique symbol = Symbol('hasEnded')
type Request = HttpRequest & { [storeRecord]?: () => Promise<void>; [hasEnded]?: boolean }

/** Returns the error reporter for `startApplication`; `undefined` outside the environment `development`. */
export function developmentErrorReporter(
  env: FwEnv,
  root: string,
  print: (text: string) => void = () => {},
): ErrorReporter | undefined {
  if (!env.isDevelopment()) return undefined
  const records = requestRecords(root)
  const report = (ctx: Context, fault: unknown): void => {
    try {
      const error = describeError(fault, root)
      const request = describeRequest(ctx)
      if (error.place !== undefined) print(`${formatPlace(error.place)}\n${error.place.frame}\n`)
      ctx[failedRequest] = { error, root, request, test: testCommand(request.id) }
      const store = recordRequest(ctx, error, records)
      const http = ctx.request.http as Request
      http[storeRecord] = () => store().catch((failure: unknown) => warn(ctx, failure))
      if (http[hasEnded] === true) void http[storeRecord]()
    } catch (failure) {
      warn(ctx, failure)
    }
  }
  return {
    // Record the SQL statements of each request for the error page.
    wrap: (handle) => async (request: Request) => {
      const response = await logStatements(() => handle(request))
      request[hasEnded] = true
      void request[storeRecord]?.()
      return response
    },
    report,
    render(ctx: Context, fault) {
      if (!isLocalRequest(ctx.request.http)) return undefined
      if (ctx[failedRequest] === undefined) report(ctx, fault)
      const failed = ctx[failedRequest]
      return (
        failed && {
          html: (nonce) => failedRequestPage(failed, nonce),
          problem: { fault: { ...failed.error, test: failed.test }, request: failed.request },
        }
      )
    },
  }
}

/** Returns the command that generates a test. An id that starts with `-` needs `--`, so that it is not parsed as an option. */
const testCommand = (id: string): string =>
  `./fw test:from-error ${id.startsWith('-') ? '-- ' : ''}${id}`

const warn = ({ logger }: FwContext, failure: unknown): void =>
  logger.warn({ err: failure }, 'a failed request could not be described or recorded')
