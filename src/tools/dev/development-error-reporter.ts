/** Reports failed requests during development with an error page, and with a record from which a test can be generated. */
import { join } from 'node:path'
import type { ErrorReporter, FwContext, RenderedFault } from '../../runtime/action.ts'
import type { FwEnv } from '../../runtime/config.ts'
import { logStatements } from '../../runtime/db.ts'
import type { Handler } from '../../runtime/http.ts'
import { failedRequestPage, type FailedRequest } from './error-page.ts'
import { describeError, type SourceExcerpt } from './error-report.ts'
import { isLocalRequest } from './local-request.ts'
import { RecordFolder, recordRequest } from './request-record.ts'
import { describeRequest } from './request-report.ts'

/** Returns the folder with the records of failed requests, `tmp/errors` of the application. */
export const requestRecords = (root: string): RecordFolder =>
  new RecordFolder(join(root, 'tmp/errors'))

/** Returns the error reporter for `startApplication`; `undefined` outside the environment `development`. */
export function developmentErrorReporter(
  env: FwEnv,
  root: string,
  print: (text: string) => void = () => {},
): ErrorReporter | undefined {
  return env.isDevelopment() ? new DevelopmentErrorReporter(root, print) : undefined
}

const failedRequest: unique symbol = Symbol('failedRequest')
type Context = FwContext & { [failedRequest]?: FailedRequest }

class DevelopmentErrorReporter implements ErrorReporter {
  readonly #root: string
  readonly #records: RecordFolder
  readonly #print: (text: string) => void

  constructor(root: string, print: (text: string) => void) {
    this.#root = root
    this.#print = print
    this.#records = requestRecords(root)
  }

  /** Wraps a handler, so that the SQL statements of each request are recorded for the error page. */
  wrap(handle: Handler): Handler {
    return (request) => logStatements(() => handle(request))
  }

  report(ctx: Context, fault: unknown): void {
    try {
      const error = describeError(fault, this.#root)
      const request = describeRequest(ctx)
      if (error.place !== undefined) this.#print(formatExcerpt(error.place))
      ctx[failedRequest] = { error, root: this.#root, request, test: testCommand(request.id) }
      recordRequest(ctx, error, this.#records).catch((failure: unknown) => warn(ctx, failure))
    } catch (failure) {
      warn(ctx, failure)
    }
  }

  /** Returns the error page; undefined for requests from other machines (see `isLocalRequest`). */
  render(ctx: Context, fault: unknown): RenderedFault | undefined {
    if (!isLocalRequest(ctx.request.http)) return undefined
    if (ctx[failedRequest] === undefined) this.report(ctx, fault)
    const failed = ctx[failedRequest]
    if (failed === undefined) return undefined
    return {
      html: (nonce) => failedRequestPage(failed, nonce),
      problem: { fault: { ...failed.error, test: failed.test }, request: failed.request },
    }
  }
}

const formatExcerpt = ({ file, line, column, frame }: SourceExcerpt): string =>
  `${[file, line, column].filter((part) => part !== undefined).join(':')}\n${frame}\n`

/** Returns the command that generates a test. An id that starts with `-` needs `--`, so that it is not parsed as an option. */
const testCommand = (id: string): string =>
  `./fw test:from-error ${id.startsWith('-') ? '-- ' : ''}${id}`

const warn = ({ logger }: FwContext, failure: unknown): void =>
  logger.warn({ err: failure }, 'a failed request could not be described or recorded')
