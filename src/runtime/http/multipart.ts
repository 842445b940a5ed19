/** Reads multipart/form-data bodies within limits: fields as text, files into memory or onto disk. */
import { HttpError } from '../base.ts'
import { encodingProblem } from './request-body.ts'
import { parseContentType } from './content-type.ts'
import { GrowableBuffer } from './body-chunks.ts'
import type { HttpRequest } from './http-request.ts'
import { invalidMultipart, MultipartParser, type PartListener } from './multipart-parser.ts'
import { decodePartText, parsePartHeader, type PartHeader } from './part-headers.ts'
import { appendValue, type FieldMap } from './query.ts'
import { FileSink, type UploadDirectory, type UploadedFile } from './uploads.ts'

const maxNameBytes = 256
/** In UTF-16 units, as in NTFS and APFS. File systems of Linux have a limit of 255 bytes. */
const maxFileNameLength = 255
const boundarySyntax = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/

/**
 * Returns up to which size a body is read, so that a form with a file that is too large keeps its texts and other files.
 * Browsers read no response before they have sent all.
 */
const readableBytes = (totalBytes: number): number =>
  Math.min(totalBytes * 4, totalBytes + 32 * 2 ** 20)

/**
 * The limits of one multipart body, and their defaults. A file that exceeds a limit of bytes is dropped; a body with too many
 * bytes otherwise causes a 413, and one with too many files, fields or parts a 400. A file that exceeds only a memory limit is
 * stored on disk.
 */
export const defaultMultipartLimits = {
  /** The maximum number of bytes of all files and fields together. */
  totalBytes: 10 * 1024 * 1024,
  /** The maximum number of bytes of one file. */
  fileBytes: 8 * 1024 * 1024,
  /** The maximum number of files. */
  files: 20,
  /** The maximum number of fields; that of an urlencoded form is the same. */
  fields: 1000,
  /** The maximum number of files and fields together. */
  parts: 1020,
  /** The maximum number of bytes of one text field. */
  fieldBytes: 1024 * 1024,
  /** The maximum number of bytes in memory, for fields and small files. Above it, files go to disk; fields are rejected. */
  memoryBytes: 2 * 1024 * 1024,
  /** The maximum number of bytes of a file in memory. A larger file is stored on disk. */
  fileMemoryBytes: 64 * 1024,
}

/** The type of `defaultMultipartLimits`, which explains each limit. */
export type MultipartLimits = Readonly<typeof defaultMultipartLimits>

/** The limit that a file has exceeded: that of one file, or `together` with others that of the form. */
export interface TooLarge {
  readonly limit: number
  readonly together: boolean
}

/** The fields and files of one body. Call `close` when the request ends, even after an error. */
export class MultipartForm {
  readonly fields: FieldMap = new Map()
  /** The files in order, by field name. A file input without a chosen file has no entry. */
  readonly files: Map<string, UploadedFile[]> = new Map()
  /** The fields with a file that was dropped because it was too large. */
  readonly tooLarge: Map<string, TooLarge> = new Map()

  /** Deletes the temporary files. */
  async close(): Promise<void> {
    await Promise.all([...this.files.values()].flat().map((file) => file.close()))
  }
}

/** Returns true for `multipart/form-data`, even with malformed parameters. */
export function isMultipart(request: HttpRequest): boolean {
  return /^[ \t]*multipart\/form-data(?![^\s;])/i.test(request.header('content-type') ?? '')
}

/**
 * Reads the whole body, and stores files above `fileMemoryBytes` in `directory`. After an error no file remains on
 * disk.
 * @throws HttpError 400 `http.multipart-invalid`; 413 or 400 `http.multipart-too-large`; the errors of
 * `BodySource.stream`
 * @spec Parameter access › fileParams
 */
export async function parseMultipart(
  request: HttpRequest,
  directory: UploadDirectory,
  limits: Partial<MultipartLimits> = {},
): Promise<MultipartForm> {
  const problem = encodingProblem(request)
  if (problem !== undefined) throw problem
  const reader = new MultipartReader(directory, { ...defaultMultipartLimits, ...limits })
  return reader.read(request, parseBoundary(request))
}

function parseBoundary(request: HttpRequest): string {
  const contentType = parseContentType(request.header('content-type') ?? '')
  const boundary = contentType?.parameters.get('boundary')
  if (
    contentType?.essence !== 'multipart/form-data' ||
    boundary === undefined ||
    !boundarySyntax.test(boundary)
  ) {
    throw invalidMultipart(
      'The Content-Type must be multipart/form-data with one boundary of 1 to 70 characters.',
    )
  }
  return boundary
}

function limitExceeded(status: 400 | 413, message: string): HttpError {
  return new HttpError(status, 'http.multipart-too-large', message)
}

/** Formats a limit for an error message. */
export const formatBytes = (bytes: number): string =>
  bytes < 2 ** 20 ? `${bytes} bytes` : `${Math.floor((bytes / 2 ** 20) * 10) / 10} MiB`

/** The text field that is being read. */
interface FieldSink {
  readonly header: PartHeader
  readonly bytes: GrowableBuffer
}

/** Reads one body chunk by chunk. Before it reads the next chunk, it writes the previous chunk's file content to disk. */
class MultipartReader implements PartListener {
  readonly #form = new MultipartForm()
  readonly #files: FileSink[] = []
  readonly #directory: UploadDirectory
  readonly #limits: MultipartLimits
  #fields = 0
  #inMemory = 0
  /** The bytes of all fields, and of the files that were not dropped. */
  #kept = 0
  #current: FileSink | FieldSink | undefined
  #toFlush: FileSink[] = []
  #flushing: Promise<void> | undefined

  constructor(directory: UploadDirectory, limits: MultipartLimits) {
    this.#directory = directory
    this.#limits = limits
  }

  async read(request: HttpRequest, boundary: string): Promise<MultipartForm> {
    if (request.body.isEmpty) throw invalidMultipart('The multipart body is empty.')
    const parser = new MultipartParser(boundary, this)
    try {
      await request.body.consume(readableBytes(this.#limits.totalBytes), (chunk) => {
        parser.write(chunk)
        return this.#toFlush.length === 0 ? undefined : (this.#flushing = this.#flush())
      })
      parser.end()
      for (const sink of this.#files) await this.#addFile(sink)
      return this.#form
    } catch (error) {
      // Wait for a running flush, because it would otherwise create its file after `abandon`.
      await this.#flushing?.catch(() => {})
      await Promise.all(this.#files.map((sink) => sink.abandon()))
      const isTooLarge = error instanceof HttpError && error.code === 'http.body-too-large'
      throw isTooLarge ? this.#formTooLarge() : error
    }
  }

  begin(lines: Buffer): void {
    const header = parsePartHeader(lines)
    const { name, fileName } = header
    const limits = this.#limits
    if (Buffer.byteLength(name) > maxNameBytes)
      throw invalidMultipart(`A part name is longer than ${maxNameBytes} bytes.`)
    const isFile = fileName !== undefined
    if (this.#fields + this.#files.length === limits.parts)
      throw limitExceeded(400, `More than ${limits.parts} parts were sent.`)
    if (isFile && this.#files.length === limits.files)
      throw limitExceeded(400, `More than ${limits.files} files were sent.`)
    if (!isFile && this.#fields === limits.fields)
      throw limitExceeded(400, `More than ${limits.fields} fields were sent.`)
    if (isFile) this.#current = this.#beginFile(header, fileName)
    else {
      this.#fields++
      this.#current = { header, bytes: new GrowableBuffer() }
    }
  }

  data(content: Buffer): void {
    if (this.#current instanceof FileSink) this.#addFileContent(this.#current, content)
    else this.#addFieldContent(this.#current!, content)
  }

  end(): void {
    if (this.#current instanceof FileSink) {
      this.#current.end()
      if (this.#current.onDisk && !this.#current.isDropped) this.#flushSoon(this.#current)
    } else this.#endField(this.#current!)
  }

  #beginFile({ name, contentType }: PartHeader, fileName: string): FileSink {
    if (fileName.length > maxFileNameLength)
      throw invalidMultipart(`A file name is longer than ${maxFileNameLength} characters.`)
    const sink = new FileSink({ fieldName: name, name: fileName, contentType }, this.#directory)
    this.#files.push(sink)
    return sink
  }

  #addFileContent(sink: FileSink, content: Buffer): void {
    if (sink.isDropped) return
    const { fileBytes, totalBytes, fileMemoryBytes, memoryBytes } = this.#limits
    const size = sink.size + content.length
    if (size > fileBytes) return this.#drop(sink, { limit: fileBytes, together: false })
    if (this.#kept + content.length > totalBytes)
      return this.#drop(sink, { limit: totalBytes, together: true })
    this.#kept += content.length
    const fits = size <= fileMemoryBytes && this.#inMemory + content.length <= memoryBytes
    if (fits && !sink.onDisk) {
      this.#inMemory += content.length
      sink.hold(content)
      return
    }
    // The next flush also writes the bytes from memory to disk.
    if (!sink.onDisk) this.#inMemory -= sink.size
    sink.write(content)
    this.#flushSoon(sink)
  }

  /** Forgets the content of a file that is too large; the next flush deletes it from the disk. */
  #drop(sink: FileSink, reason: TooLarge): void {
    this.#form.tooLarge.set(sink.fieldName, reason)
    this.#kept -= sink.size
    if (!sink.onDisk) this.#inMemory -= sink.size
    sink.drop()
    this.#flushSoon(sink)
  }

  #formTooLarge(): HttpError {
    return limitExceeded(413, `The form is larger than ${formatBytes(this.#limits.totalBytes)}.`)
  }

  #flushSoon(sink: FileSink): void {
    if (this.#toFlush.at(-1) !== sink) this.#toFlush.push(sink)
  }

  async #flush(): Promise<void> {
    const sinks = this.#toFlush
    this.#toFlush = []
    for (const sink of sinks) await sink.flush()
  }

  #addFieldContent(field: FieldSink, content: Buffer): void {
    const { fieldBytes, memoryBytes, totalBytes } = this.#limits
    this.#inMemory += content.length
    this.#kept += content.length
    if (this.#kept > totalBytes || this.#inMemory > memoryBytes) this.#makeRoom()
    if (this.#kept > totalBytes) throw this.#formTooLarge()
    if (field.bytes.length + content.length > fieldBytes || this.#inMemory > memoryBytes)
      throw limitExceeded(413, 'The fields of the form are too large.')
    field.bytes.append(content)
  }

  /** Drops the last files or moves them to the disk, because a text such as the forgery token must not be lost to a file. */
  #makeRoom(): void {
    const { memoryBytes, totalBytes } = this.#limits
    for (const sink of this.#files.toReversed()) {
      if (sink.isDropped || sink.size === 0) continue
      if (this.#kept > totalBytes) this.#drop(sink, { limit: totalBytes, together: true })
      else if (this.#inMemory > memoryBytes && !sink.onDisk) {
        this.#inMemory -= sink.size
        sink.moveToDisk()
        this.#flushSoon(sink)
      }
    }
  }

  #endField({ header, bytes }: FieldSink): void {
    const value = decodePartText(header.charset ?? 'utf-8', bytes.view(), 'A field')
    if (value.includes('\0')) throw invalidMultipart('A field contains a NUL character.')
    // Browsers send CR LF for each line break of a form's text.
    appendValue(this.#form.fields, header.name, value.replaceAll('\r\n', '\n'))
  }

  async #addFile(sink: FileSink): Promise<void> {
    if (sink.isDropped) return
    const file = sink.toFile()
    if (file.name === '' && file.size === 0) return file.close()
    appendValue(this.#form.files, file.fieldName, file)
  }
}
