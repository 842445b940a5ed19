/** Random bytes, cut from one large block, because each call of the system's generator takes microseconds. */
import { randomBytes, randomFillSync } from 'node:crypto'

const block = Buffer.alloc(4096)
let used = block.length

/** Returns `size` cryptographically secure random bytes. Each byte of the block is used once and then erased. */
export function takeRandomBytes(size: number): Buffer {
  if (size > block.length) return randomBytes(size)
  if (used + size > block.length) {
    randomFillSync(block)
    used = 0
  }
  const part = block.subarray(used, used + size)
  used += size
  const bytes = Buffer.from(part)
  part.fill(0)
  return bytes
}

let lastTime = 0
/** The number of UUIDs with the time `lastTime`; 12 bits. */
let sequence = 0

/**
 * Returns a UUID of version 7 (RFC 9562). The UUIDs of one process sort in the order of the calls; those of several processes sort by
 * their millisecond.
 */
export function createUuidV7(): string {
  const now = Date.now()
  if (now > lastTime) [lastTime, sequence] = [now, 0]
  else if (++sequence > 0xfff) [lastTime, sequence] = [lastTime + 1, 0]
  const bytes = takeRandomBytes(16)
  bytes.writeUIntBE(lastTime, 0, 6)
  bytes.writeUInt16BE(0x7000 | sequence, 6)
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
