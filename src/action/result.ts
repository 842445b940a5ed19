/** Turns what an action returned into the response. */
import { Readable } from 'node:stream'
import { isPromise } from '../base.ts'
import {
  ActionResult,
  checkedStatus,
  encodeText,
  HttpResponse,
  jsonText,
  releaseBody,
  type ResponseBody,
  type ResponseHeaders,
} from '../http.ts'
import type { FwContext } from './context.ts'
import { contentTypeOf } from './format.ts'

const json = 'application/json; charset=utf-8'
const octets = 'application/octet-stream'

function typed(ctx: FwContext, type: string): void {
  const { headers } = ctx.response
  if (!headers.has('content-type')) headers.append('Content-Type', type)
}

function answer(ctx: FwContext, body: ResponseBody, type: string): void {
  typed(ctx, type)
  ctx.response.body = body
}

const otherCharset = /;[ \t]*charset="?(?!utf-?8\b)([^\s;"]+)/i

// Typed by what the client asked for, else the route's default; a type that was set may tell another charset.
function answerText(ctx: FwContext, text: string): void {
  const { response } = ctx
  const type = response.headers.get('content-type')
  if (type === undefined) return answer(ctx, text, contentTypeOf(ctx.format))
  const charset = otherCharset.exec(type)?.[1]
  response.body = charset === undefined ? text : encodeText(text, charset)
}

function withCharset(type: string, charset: string): string {
  return `${type.split(';', 1)[0]!.trim()}; charset=${charset}`
}

function applyActionResult(ctx: FwContext, result: ActionResult): void {
  const { response } = ctx
  response.status = result.status
  response.reason = result.reason
  if (result.contentType !== undefined) response.headers.set('Content-Type', result.contentType)
  for (const name in result.headers) response.headers.set(name, result.headers[name]!)
  for (const { name, value, ...options } of result.cookies) ctx.cookies.set(name, value, options)
  // A number inside a result is its text: the status is already said.
  applyResult(ctx, typeof result.body === 'number' ? String(result.body) : result.body)
  if (result.charset !== undefined) applyCharset(ctx, result.charset)
}

// Bytes and streams are in that charset already, as whoever made them says.
function applyCharset({ response }: FwContext, charset: string): void {
  const { headers, body } = response
  const type = headers.get('content-type')
  if (type !== undefined) headers.set('Content-Type', withCharset(type, charset))
  if (typeof body === 'string') response.body = encodeText(body, charset)
}

function applyFetchResponse(ctx: FwContext, result: Response): void {
  const { response } = ctx
  response.status = result.status
  if (result.statusText !== '') response.reason = result.statusText
  replaceHeaders(response.headers, result.headers)
  response.body = result.body ?? undefined
}

/** Every line of `given` in place of those of its name; cookies are added to what is set already. */
function replaceHeaders(
  headers: ResponseHeaders,
  given: Iterable<readonly [string, string]>,
): void {
  const lines = [...given]
  for (const [name] of lines) if (name.toLowerCase() !== 'set-cookie') headers.delete(name)
  for (const [name, value] of lines) headers.append(name, value)
}

/** A Node stream that fails before it is read would end the process; whoever reads it is told all the same. */
function watchFailure(body: unknown): void {
  if (body instanceof Readable) body.on('error', () => {})
}

function applyResponse({ response }: FwContext, result: HttpResponse): void {
  response.status = result.status
  response.reason = result.reason
  replaceHeaders(response.headers, result.headers)
  watchFailure(result.body)
  response.body = result.body
}

// Nearly every object is one of these.
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  const plain = prototype === Object.prototype || prototype === Array.prototype
  return plain && !(Symbol.asyncIterator in value)
}

function applyObject(ctx: FwContext, value: object): void {
  if (isPlain(value)) return answer(ctx, jsonText(value), json)
  if (value instanceof ActionResult) return applyActionResult(ctx, value)
  if (value instanceof Uint8Array) return answer(ctx, value, octets)
  if (value instanceof ArrayBuffer) return answer(ctx, new Uint8Array(value), octets)
  if (value instanceof HttpResponse) return applyResponse(ctx, value)
  if (value instanceof Response) return applyFetchResponse(ctx, value)
  if (value instanceof Blob)
    return answer(ctx, value.stream(), value.type === '' ? octets : value.type)
  if (value instanceof ReadableStream || Symbol.asyncIterator in value) {
    watchFailure(value)
    return answer(ctx, value as ResponseBody, octets)
  }
  return answer(ctx, jsonText(value), json)
}

/** Applies what a handler gave, else what its redirect recorded; false when it did neither. */
export function applyGiven(ctx: FwContext, value: unknown): boolean {
  const given = value ?? ctx.recorded
  ctx.recorded = undefined
  applyResult(ctx, given)
  return given !== undefined && given !== null
}

/** Takes back the body that an answer had, and the type that told of it. */
export function dropBody({ response }: FwContext): void {
  releaseBody(response.body)
  response.body = undefined
  response.headers.delete('content-type')
}

/**
 * Applies a result value: nothing for `undefined` and `null`, a status for a number, a body for the rest.
 * @throws TypeError for a function, a symbol, and a value that JSON cannot hold, such as a cycle; FwError `http.status-invalid`
 * @spec Response helpers
 */
export function applyResult(ctx: FwContext, value: unknown): void {
  if (value === undefined || value === null) return
  if (typeof value === 'string') return answerText(ctx, value)
  if (typeof value === 'number') {
    ctx.response.status = checkedStatus(value)
    return
  }
  if (typeof value === 'object') {
    if (isPromise(value))
      throw new TypeError('A promise inside a result was not awaited: await it in the action.')
    return applyObject(ctx, value)
  }
  if (typeof value === 'function' || typeof value === 'symbol')
    throw new TypeError(`A ${typeof value} is no result: give what it stands for.`)
  return answerText(ctx, String(value))
}
