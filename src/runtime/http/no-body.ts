/** The body of every request without one. */
import type { BodySource } from './http-request.ts'

const noBytes = new Uint8Array(0)

/** An empty body; it can be read more than once. */
export const noBody: BodySource = {
  declaredLength: undefined,
  isEmpty: true,
  bytes: () => Promise.resolve(noBytes),
  arrivedBytes: () => noBytes,
  consume: () => Promise.resolve(),
  stream: () => new ReadableStream({ start: (controller) => controller.close() }),
}
