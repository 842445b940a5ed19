/** Takes in one uploaded file: in memory as long as its reader says, from then on to disk. */
import type { FileHandle } from 'node:fs/promises'
import { rm } from 'node:fs/promises'
import { GatheredBytes } from './gathered-bytes.ts'
import type { UploadDirectory } from './upload-directory.ts'
import { UploadedFile } from './uploaded-file.ts'
import type { UploadedFileInfo } from './uploaded-file.ts'

type FileClaims = Omit<UploadedFileInfo, 'size'>

export class FileSink {
  size = 0
  /** True once `write` was called. */
  onDisk = false
  readonly #claims: FileClaims
  readonly #directory: UploadDirectory
  readonly #held = new GatheredBytes()
  #unwritten: Uint8Array[] = []
  #ended = false
  #handle: FileHandle | undefined
  #path: string | undefined

  constructor(claims: FileClaims, directory: UploadDirectory) {
    this.#claims = claims
    this.#directory = directory
  }

  /** Keeps a copy. */
  hold(bytes: Uint8Array): void {
    this.size += bytes.length
    this.#held.append(bytes)
  }

  /** The bytes must stay as they are until the next `flush` is done. */
  write(bytes: Uint8Array): void {
    this.size += bytes.length
    this.onDisk = true
    this.#unwritten.push(bytes)
  }

  /** No more will come. */
  end(): void {
    this.#ended = true
  }

  /** Brings to disk what was written, and closes the file when it has ended. */
  async flush(): Promise<void> {
    const handle = (this.#handle ??= await this.#create())
    await writeAll(handle, this.#held.view())
    this.#held.clear()
    for (const bytes of this.#unwritten) await writeAll(handle, bytes)
    this.#unwritten = []
    if (this.#ended) await this.#close()
  }

  /** To be asked for after the end and the last `flush`. */
  finished(): UploadedFile {
    const content = this.#path ?? this.#held.view()
    return new UploadedFile({ ...this.#claims, size: this.size }, content)
  }

  /** Removes what was written; no `flush` may be under way. */
  async abandon(): Promise<void> {
    try {
      await this.#close()
    } finally {
      if (this.#path !== undefined) await rm(this.#path, { force: true })
    }
  }

  async #create(): Promise<FileHandle> {
    const { path, handle } = await this.#directory.create()
    this.#path = path
    return handle
  }

  async #close(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += (await handle.write(bytes, at)).bytesWritten
  }
}
