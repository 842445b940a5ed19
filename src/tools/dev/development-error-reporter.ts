/** Reports failed requests during development: a page for the developer, a record that a test is made from. */
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

/** The records of failed requests, in `tmp/errors` of the application. */
export const requestRecords = (root: string): RecordFolder =>
  new RecordFolder(join(root, 'tmp/errors'))

/** The reporter for `startApplication`; `undefined` in every environment but development. */
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

  /** Collects the SQL statements of each request for its report. */
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

  /** Only requests from this machine get the page; see `isLocalRequest`. */
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

/** An id that starts with `-` comes after `--`, or the command line would read it as an option. */
const testCommand = (id: string): string =>
  `./fw test:from-error ${id.startsWith('-') ? '-- ' : ''}${id}`

const warn = ({ logger }: FwContext, failure: unknown): void =>
  logger.warn({ err: failure }, 'a failed request could not be described or recorded')
