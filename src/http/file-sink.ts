/** Takes in one uploaded file: in memory as long as allowed, from then on to disk. */
import type { FileHandle } from 'node:fs/promises'
import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { UploadDirectory } from './upload-directory.ts'
import { UploadedFile } from './uploaded-file.ts'
import type { UploadedFileInfo } from './uploaded-file.ts'

type FileClaims = Omit<UploadedFileInfo, 'size'>

export class FileSink {
  readonly #claims: FileClaims
  readonly #directory: UploadDirectory
  readonly #mayHold: (bytes: number, held: number) => boolean
  #consumed: Promise<void> = Promise.resolve()
  #stream: Readable | undefined
  #chunks: Uint8Array[] = []
  #size = 0
  #path: string | undefined

  /** `mayHold` grants memory for more bytes, given how many are held. */
  constructor(
    claims: FileClaims,
    directory: UploadDirectory,
    mayHold: (bytes: number, held: number) => boolean,
  ) {
    this.#claims = claims
    this.#directory = directory
    this.#mayHold = mayHold
  }

  consume(stream: Readable): Promise<void> {
    this.#stream = stream
    return (this.#consumed = this.#take(stream))
  }

  async finished(): Promise<UploadedFile> {
    await this.#consumed
    const content = this.#path ?? Buffer.concat(this.#chunks)
    return new UploadedFile({ ...this.#claims, size: this.#size }, content)
  }

  /** Ends the taking, and removes what was written. */
  async abandon(): Promise<void> {
    this.#stream?.destroy()
    await this.#consumed.catch(() => {})
    if (this.#path !== undefined) await rm(this.#path, { force: true })
  }

  async #take(stream: Readable): Promise<void> {
    let handle: FileHandle | undefined
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        if (handle === undefined && this.#mayHold(chunk.length, this.#size))
          this.#chunks.push(chunk)
        else await writeAll((handle ??= await this.#spill()), chunk)
        this.#size += chunk.length
      }
    } finally {
      await handle?.close()
    }
  }

  async #spill(): Promise<FileHandle> {
    const { path, handle } = await this.#directory.create()
    this.#path = path
    for (const chunk of this.#chunks) await writeAll(handle, chunk)
    this.#chunks = []
    return handle
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += (await handle.write(bytes, at)).bytesWritten
  }
}
