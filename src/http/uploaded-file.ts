/** One uploaded file: in memory when small, else in a temporary file that lives as long as the request. */
import { createReadStream } from 'node:fs'
import { constants, copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { FwError } from '../base.ts'

/** What the client says of the file; all of it is a claim. */
export interface UploadedFileInfo {
  readonly fieldName: string
  readonly name: string
  readonly contentType: string | undefined
  readonly size: number
}

/** @spec Parameter access › fileParams */
export class UploadedFile implements UploadedFileInfo {
  readonly fieldName: string
  /** The client's file name, without folders. */
  readonly name: string
  /** As the client claims, in lower case and without parameters; undefined when it claims none. */
  readonly contentType: string | undefined
  /** Bytes. */
  readonly size: number
  #content: Uint8Array | string | undefined

  /** `content` is the bytes, or the path of the temporary file. */
  constructor(info: UploadedFileInfo, content: Uint8Array | string) {
    this.fieldName = info.fieldName
    this.name = info.name
    this.contentType = info.contentType
    this.size = info.size
    this.#content = content
  }

  /** @throws FwError `http.upload-closed` after the request has ended */
  async get(): Promise<Uint8Array> {
    const content = this.#open()
    return typeof content === 'string' ? readFile(content) : content
  }

  /** For large files: never the whole in memory. @throws as `get` */
  stream(): ReadableStream<Uint8Array> {
    const content = this.#open()
    const source =
      typeof content === 'string' ? createReadStream(content) : Readable.from([content])
    return Readable.toWeb(source) as ReadableStream<Uint8Array>
  }

  /** Copies the file to a path that must not exist yet. @throws as `get`; the file system's error otherwise */
  async saveTo(path: string): Promise<void> {
    const content = this.#open()
    if (typeof content === 'string') await copyFile(content, path, constants.COPYFILE_EXCL)
    else await writeFile(path, content, { flag: 'wx' })
  }

  /** Deletes the temporary file; a second call does nothing. */
  async close(): Promise<void> {
    const content = this.#content
    this.#content = undefined
    if (typeof content === 'string') await rm(content, { force: true })
  }

  #open(): Uint8Array | string {
    if (this.#content !== undefined) return this.#content
    throw new FwError(
      'http.upload-closed',
      `The upload ${JSON.stringify(this.name)} is gone: uploads end with their request; read or save them before.`,
    )
  }
}
