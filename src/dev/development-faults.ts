/** Tells whoever develops the application of a fault: on the page of the request, and as a record of it. */
import { join } from 'node:path'
import type { FaultDesk, FwContext, ShownFault } from '../action.ts'
import type { Handler } from '../http.ts'
import { describeError } from './error-report.ts'
import { faultPage, type FaultReport } from './fault-page.ts'
import { isLocal } from './local-request.ts'
import { RecordFolder } from './record-folder.ts'
import { recordRequest } from './request-record.ts'
import { reportRequest } from './request-report.ts'
import { logStatements } from '../db.ts'

/** Where `fw run` keeps what it needs to send a failed request again. */
export const recordsOf = (root: string): RecordFolder => new RecordFolder(join(root, 'tmp/errors'))

/** In development only. */
export class DevelopmentFaults implements FaultDesk {
  readonly #root: string
  readonly #records: RecordFolder | undefined
  readonly #reports = new WeakMap<FwContext, FaultReport>()

  /** @param keep whether requests are kept, for `fw test:from-error` */
  constructor(root: string, keep: boolean) {
    this.#root = root
    this.#records = keep ? recordsOf(root) : undefined
  }

  /** The application's handler, with the statements of each request at hand. */
  watch(handle: Handler): Handler {
    return (request) => logStatements(() => handle(request))
  }

  noted(ctx: FwContext, fault: unknown): void {
    try {
      const error = describeError(fault, this.#root)
      const request = reportRequest(ctx)
      this.#reports.set(ctx, { error, request, ...this.#command(request.id) })
      const keeping = this.#records && recordRequest(ctx, error, this.#records)
      keeping?.catch((failure: unknown) => this.#tell(ctx, failure))
    } catch (failure) {
      this.#tell(ctx, failure)
    }
  }

  shown(ctx: FwContext, fault: unknown): ShownFault | undefined {
    if (!isLocal(ctx.request.http)) return undefined
    if (!this.#reports.has(ctx)) this.noted(ctx, fault)
    const report = this.#reports.get(ctx)
    if (report === undefined) return undefined
    return {
      html: (nonce) => faultPage(report, nonce),
      problem: { fault: { ...report.error, test: report.test }, request: report.request },
    }
  }

  #command(id: string): { readonly test?: string } {
    if (this.#records === undefined) return {}
    return { test: `./fw test:from-error ${id.startsWith('-') ? '-- ' : ''}${id}` }
  }

  #tell({ logger }: FwContext, failure: unknown): void {
    logger.warn({ err: failure }, 'a fault could not be described or kept')
  }
}
