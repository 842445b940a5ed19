/** The header lines of a response as they go to the wire. */
import type { HttpResponse } from '../http.ts'

/** What the application's headers say about the connection and the body. */
export interface ResponseHead {
  /** Alternating names and values, without those the container decides about. */
  readonly raw: string[]
  /** The application asked for `Connection: close`. */
  readonly close: boolean
  /** The Content-Length the application set; undefined when none or malformed. */
  readonly declaredLength: number | undefined
}

/** A copy: the response, and a list of headers it shares, stay as they are. */
export function responseHead({ headers, shared }: HttpResponse): ResponseHead {
  const raw = shared === undefined ? headers.raw.slice() : [...headers.raw, ...shared.raw]
  let close = false
  let declaredLength: number | undefined
  for (let i = raw.length - 2; i >= 0; i -= 2) {
    const name = containerHeader(raw[i]!)
    if (name === undefined) continue
    const value = raw[i + 1]!
    raw.splice(i, 2)
    if (name === 'content-length')
      declaredLength = /^\d{1,15}$/.test(value) ? Number(value) : undefined
    else if (name === 'connection') {
      const listed = value
        .toLowerCase()
        .split(',')
        .map((option) => option.trim())
      close ||= listed.includes('close')
      i = removeListed(raw, listed, i)
    }
  }
  return { raw, close, declaredLength }
}

/** True when the response says nothing that the container decides about. */
export function leavesHeadToContainer({ headers: { raw } }: HttpResponse): boolean {
  for (let i = 0; i < raw.length; i += 2) if (containerHeader(raw[i]!) !== undefined) return false
  return true
}

// By length first: most headers are told apart without reading them.
function containerHeader(name: string): string | undefined {
  const { length } = name
  if (
    length !== 10 &&
    length !== 14 &&
    length !== 17 &&
    length !== 7 &&
    length !== 16 &&
    length !== 2
  ) {
    return undefined
  }
  const lower = name.toLowerCase()
  switch (lower) {
    case 'connection':
    case 'content-length':
    case 'transfer-encoding':
    case 'keep-alive':
    case 'proxy-connection':
    case 'upgrade':
    case 'trailer':
    case 'te':
      return lower
    default:
      return undefined
  }
}

// Headers that `Connection` names belong to the hop they came from.
function removeListed(raw: string[], listed: readonly string[], at: number): number {
  let position = at
  for (let i = raw.length - 2; i >= 0; i -= 2) {
    if (!listed.includes(raw[i]!.toLowerCase())) continue
    raw.splice(i, 2)
    if (i < position) position -= 2
  }
  return position
}
