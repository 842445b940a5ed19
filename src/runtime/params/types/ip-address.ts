/** `ParamType.IpAddress`: an `inet` as canonical text. */
import type { TypeDefinition } from '../type-definition.ts'

const ipv4Text = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/
const groupText = /^[\da-f]{1,4}$/i
const prefixText = /^(?:0|[1-9]\d{0,2})$/
const maxLength = 49

/** Parses an IPv4 address to its bytes. Rejects leading zeros, which some programs read as octal digits. */
function parseIpv4(text: string): readonly number[] | undefined {
  const parts = ipv4Text.exec(text)?.slice(1)
  if (parts === undefined || parts.some((part) => Number(part) > 255)) return undefined
  return parts.some((part) => part.length > 1 && part.startsWith('0'))
    ? undefined
    : parts.map(Number)
}

/** Parses groups such as `2001:db8`; the last group may be an IPv4 address. */
function parseGroups(text: string): readonly number[] | undefined {
  if (text === '') return []
  const groups: number[] = []
  const parts = text.split(':')
  for (const [at, part] of parts.entries()) {
    const bytes = at === parts.length - 1 ? parseIpv4(part) : undefined
    if (bytes !== undefined) groups.push(bytes[0]! * 256 + bytes[1]!, bytes[2]! * 256 + bytes[3]!)
    else if (groupText.test(part)) groups.push(Number.parseInt(part, 16))
    else return undefined
  }
  return groups
}

/** Parses an IPv6 address to its eight groups. */
function parseIpv6(text: string): readonly number[] | undefined {
  const halves = text.split('::')
  const [head, tail] = halves.map(parseGroups)
  if (halves.length > 2 || head === undefined) return undefined
  if (halves.length === 1) return head.length === 8 ? head : undefined
  if (tail === undefined || /\./.test(halves[0]!)) return undefined
  const missing = 8 - head.length - tail.length
  return missing < 1 ? undefined : [...head, ...Array.from({ length: missing }, () => 0), ...tail]
}

/** Returns start and length of the longest run of at least two zero groups; length 0 without such a run. */
function longestRun(groups: readonly number[]): {
  readonly start: number
  readonly length: number
} {
  let best = { start: 0, length: 0 }
  for (let start = 0; start < groups.length; start++) {
    let length = 0
    while (groups[start + length] === 0) length++
    if (length > Math.max(best.length, 1)) best = { start, length }
  }
  return best
}

/** Formats an IPv6 address as PostgreSQL does, which is RFC 5952. */
function formatIpv6(groups: readonly number[]): string {
  const { start, length } = longestRun(groups)
  const isMapped = start === 0 && length === 5 && groups[5] === 0xffff
  const isCompatible = start === 0 && length === 6
  const [high, low] = [groups[6]!, groups[7]!]
  if (isMapped || isCompatible) {
    const ipv4 = [high >> 8, high & 255, low >> 8, low & 255].join('.')
    return isMapped ? `::ffff:${ipv4}` : `::${ipv4}`
  }
  const join = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':')
  if (length === 0) return join(groups)
  return `${join(groups.slice(0, start))}::${join(groups.slice(start + length))}`
}

/** Parses an address with an optional prefix length, such as `10.0.0.0/8`, to PostgreSQL's text. */
function parse(text: string): string | undefined {
  if (text.length > maxLength) return undefined
  const [address = '', prefix, ...rest] = text.trim().split('/')
  const isIpv6 = address.includes(':')
  const bits = isIpv6 ? 128 : 32
  if (rest.length > 0 || (prefix !== undefined && !prefixText.test(prefix))) return undefined
  if (Number(prefix ?? 0) > bits) return undefined
  const parts = isIpv6 ? parseIpv6(address) : parseIpv4(address)
  if (parts === undefined) return undefined
  const canonical = isIpv6 ? formatIpv6(parts) : parts.join('.')
  return prefix === undefined || Number(prefix) === bits ? canonical : `${canonical}/${prefix}`
}

export const ipAddress: TypeDefinition<string> = {
  name: 'IpAddress',
  expected: 'an IP address',
  parse,
  jsonSchema: { type: 'string', format: 'inet', maxLength },
  sql: { type: 'inet' },
  field: {
    samples: ['192.0.2.1', '2001:db8::1'],
    invalidSample: 'x',
    uniqueCode: '`192.0.${count >> 8}.${count & 255}`',
  },
}
