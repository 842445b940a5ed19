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
