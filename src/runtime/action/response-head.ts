/** `ResponseHead`: the status and the headers with which a route begins, for an attempt that is repeated. */
import { ResponseHeaders, type HttpResponse } from '../http.ts'

export interface ResponseHead {
  readonly status: number
  /** Names and values in alternation. */
  readonly headers: readonly string[]
}

/** Returns what earlier routes and the router have set; undefined for the head of a new response. */
export function readHead({ status, headers: { raw } }: HttpResponse): ResponseHead | undefined {
  return status === 200 && raw.length === 0 ? undefined : { status, headers: raw.slice() }
}

export function applyHead(response: HttpResponse, head: ResponseHead | undefined): void {
  if (head === undefined) return
  response.status = head.status
  response.headers = new ResponseHeaders(head.headers.slice())
}
