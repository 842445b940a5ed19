/** A file, or a part of it, as a response body: opened when first read, closed however the reading ends. */
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import type { ByteRange } from './byte-range.ts'

const chunkBytes = 64 * 1024

/** What was known of the file when its headers were made. */
export interface FileVersion {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
}

/** Holds nothing open until it is read: a body that is never sent costs nothing. */
export class FileBody implements AsyncIterable<Uint8Array> {
  readonly #version: FileVersion
  readonly #range: ByteRange

  constructor(version: FileVersion, range: ByteRange) {
    this.#version = version
    this.#range = range
  }

  /** @throws Error when the file is no longer the one that the headers tell of */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const handle = await open(this.#version.path)
    try {
      await this.#check(handle)
      yield* this.#chunks(handle)
    } finally {
      await handle.close()
    }
  }

  /** All of it at once, for files that are small. @throws as reading does */
  async bytes(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    for await (const chunk of this) chunks.push(chunk)
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
  }

  async #check(handle: FileHandle): Promise<void> {
    const { path, size, mtimeMs } = this.#version
    const now = await handle.stat()
    if (now.size !== size || now.mtimeMs !== mtimeMs)
      throw new Error(`The file ${path} was changed while it was being sent.`)
  }

  async *#chunks(handle: FileHandle): AsyncGenerator<Uint8Array> {
    const { first, last } = this.#range
    for (let at = first; at <= last;) {
      // Never the same buffer twice: the container may still hold the one before.
      const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, last - at + 1))
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }
}
