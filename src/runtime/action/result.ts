/** Applies the value that an action returned to the response. */
import { Readable } from 'node:stream'
import { isPromise } from '../base.ts'
import {
  ActionResult,
  checkStatus,
  encodeText,
  HttpResponse,
  stringifyJson,
  type ResponseBody,
  type ResponseHeaders,
} from '../http.ts'
import { SafeHtml } from '../view.ts'
import { clearPage } from './clear-page.ts'
import type { FwContext } from './context.ts'
import { addCharset, addDefaultType, contentTypeOf } from './format.ts'

const json = 'application/json; charset=utf-8'
const octets = 'application/octet-stream'

function setBody({ response }: FwContext, body: ResponseBody, type: string): void {
  addDefaultType(response, type)
  response.body = body
}

const otherCharset = /;[ \t]*charset="?(?!utf-?8\b)([^\s;"]+)/i

/** Sets a text as body, in the format that the client requests, and in the charset of the `Content-Type`. */
function applyText(ctx: FwContext, text: string): void {
  const { response } = ctx
  const type = response.headers.get('content-type')
  if (type === undefined) return setBody(ctx, text, contentTypeOf(ctx.textFormat))
  addCharset(response)
  const charset = otherCharset.exec(type)?.[1]
  response.body = charset === undefined ? text : encodeText(text, charset)
}

function applyActionResult(ctx: FwContext, result: ActionResult): void {
  const { response } = ctx
  if (result.status >= 400) clearPage(ctx, true)
  response.status = result.status
  response.reason = result.reason
  if (result.contentType !== undefined) response.headers.set('Content-Type', result.contentType)
  for (const name in result.headers) response.headers.set(name, result.headers[name]!)
  for (const { name, value, ...options } of result.cookies) ctx.cookies.set(name, value, options)
  // A number as body is sent as text, because the status comes from the result itself.
  applyResult(ctx, typeof result.body === 'number' ? String(result.body) : result.body)
  if (result.charset !== undefined) applyCharset(ctx, result.charset)
}

/** Sets the charset in `Content-Type` and encodes a text body. Bytes and streams are already encoded. */
function applyCharset({ response }: FwContext, charset: string): void {
  const { headers, body } = response
  const type = headers.get('content-type')
  if (type !== undefined)
    headers.set('Content-Type', `${type.split(';', 1)[0]!.trim()}; charset=${charset}`)
  if (typeof body === 'string') response.body = encodeText(body, charset)
}

/** Headers that describe only the connection to another server, or the encoded body, which `fetch` has already decoded. */
const transferHeaders = [
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]

function applyFetchResponse(ctx: FwContext, result: Response): void {
  const { response } = ctx
  if (result.bodyUsed)
    throw new TypeError('The action returned a Response whose body was read: return a copy of it.')
  response.status = checkStatus(result.status)
  if (result.statusText !== '') response.reason = result.statusText
  const isFetched = result.url !== ''
  const lines = [...result.headers].filter(
    ([name]) => !(isFetched && transferHeaders.includes(name)),
  )
  replaceHeaders(response.headers, lines)
  // `fetch` returns no body for HEAD. Set an unread stream, so that HEAD declares no length, like GET with a stream.
  const isHead = isFetched && ctx.request.http.method === 'HEAD'
  response.body = result.body ?? (isHead ? new ReadableStream() : undefined)
}

/** Replaces headers of the same name; `Set-Cookie` lines are added instead. */
function replaceHeaders(
  headers: ResponseHeaders,
  replacements: Iterable<readonly [string, string]>,
): void {
  const lines = [...replacements]
  for (const [name] of lines) if (name.toLowerCase() !== 'set-cookie') headers.delete(name)
  for (const [name, value] of lines) headers.append(name, value)
}

/** Handles an `error` event before a Node stream is read, which would end the process. A reader still gets the error. */
function ignoreEarlyFailure(body: unknown): void {
  if (body instanceof Readable) body.on('error', () => {})
}

function applyResponse({ response }: FwContext, result: HttpResponse): void {
  response.status = result.status
  response.reason = result.reason
  replaceHeaders(response.headers, result.headers)
  ignoreEarlyFailure(result.body)
  response.body = result.body
}

/** True for a plain object or array. This check comes first, because nearly all objects are plain. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  const plain = prototype === Object.prototype || prototype === Array.prototype
  return plain && !(Symbol.asyncIterator in value)
}

function applyObject(ctx: FwContext, value: object): void {
  if (isPlain(value)) return setBody(ctx, stringifyJson(value), json)
  if (value instanceof ActionResult) return applyActionResult(ctx, value)
  if (value instanceof SafeHtml) return setBody(ctx, value.toString(), contentTypeOf('html'))
  if (value instanceof Uint8Array) return setBody(ctx, value, octets)
  if (value instanceof ArrayBuffer) return setBody(ctx, new Uint8Array(value), octets)
  if (value instanceof HttpResponse) return applyResponse(ctx, value)
  if (value instanceof Response) return applyFetchResponse(ctx, value)
  if (value instanceof Blob) {
    ctx.response.defaultType(value.type === '' ? octets : value.type)
    ctx.response.body = value.stream()
    return
  }
  if (value instanceof ReadableStream || Symbol.asyncIterator in value) {
    ignoreEarlyFailure(value)
    addCharset(ctx.response)
    return setBody(ctx, value as ResponseBody, octets)
  }
  return setBody(ctx, stringifyJson(value), json)
}

/** Applies the value that a handler returned, or else the redirect that it recorded. Returns false if there is neither. */
export function applyValueOrRedirect(ctx: FwContext, value: unknown): boolean {
  const result = value ?? ctx.recordedRedirect
  ctx.recordedRedirect = undefined
  applyResult(ctx, result)
  return result !== undefined && result !== null
}

/**
 * Applies the result of an action to the response: `undefined` and `null` change nothing, a number sets the status, other
 * values set the body.
 * @throws TypeError for a function, a symbol, and a value that JSON cannot represent, such as a cycle; FwError
 * `http.status-invalid`
 * @spec Response helpers
 */
export function applyResult(ctx: FwContext, value: unknown): void {
  if (value === undefined || value === null) return
  if (typeof value === 'string') return applyText(ctx, value)
  if (typeof value === 'number') {
    ctx.response.status = checkStatus(value)
    if (value >= 400) clearPage(ctx, true)
    return
  }
  if (typeof value === 'object') {
    if (isPromise(value))
      throw new TypeError('A promise inside a result was not awaited: await it in the action.')
    return applyObject(ctx, value)
  }
  if (typeof value === 'function' || typeof value === 'symbol')
    throw new TypeError(
      `An action returned a ${typeof value}, which is not a result: return its value.`,
    )
  return applyText(ctx, String(value))
}
