/** Random bytes for tokens, ids and nonces, taken from a block: calling the generator for each costs microseconds. */
import { randomBytes, randomFillSync } from 'node:crypto'

const block = Buffer.alloc(4096)
let used = block.length

/** As `randomBytes` of `node:crypto`. No byte of the block is used twice, or stays in it. */
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
