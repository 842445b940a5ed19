/** multipart/form-data: fields as text, files to memory or disk, limits on everything. */
import { HttpError } from '../base.ts'
import { refuseEncoding } from './body.ts'
import { parseContentType } from './content-type.ts'
import { FileSink } from './file-sink.ts'
import { GatheredBytes } from './gathered-bytes.ts'
import type { HttpRequest } from './http-request.ts'
import { defaultMultipartLimits } from './multipart-limits.ts'
import type { MultipartLimits } from './multipart-limits.ts'
import type { PartListener } from './multipart-parser.ts'
import { invalidMultipart, MultipartParser } from './multipart-parser.ts'
import type { PartHeader } from './part-headers.ts'
import { decode, parsePartHeader } from './part-headers.ts'
import type { FieldMap } from './query.ts'
import type { UploadDirectory } from './upload-directory.ts'
import type { UploadedFile } from './uploaded-file.ts'

const maxNameBytes = 256
const maxFileNameBytes = 255
const boundarySyntax = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/

/** Fields and files of one body. `close` it when the request ends, however it ends. */
export class MultipartForm {
  readonly fields: FieldMap = new Map()
  /** Field name to its files in order. A file input that was left empty is absent. */
  readonly files: Map<string, UploadedFile[]> = new Map()

  /** Deletes every temporary file. */
  async close(): Promise<void> {
    await Promise.all([...this.files.values()].flat().map((file) => file.close()))
  }
}

/** True for `multipart/form-data`, well-formed or not. */
export function isMultipart(request: HttpRequest): boolean {
  return /^[ \t]*multipart\/form-data(?![^\s;])/i.test(request.header('content-type') ?? '')
}

/**
 * Reads the whole body, files above `fileMemoryBytes` to `directory`. When it throws, nothing is left on disk.
 * @throws HttpError 400 `http.multipart-invalid`; 413 or 400 `http.multipart-too-large`; and as `BodySource.stream`
 * @spec Parameter access › fileParams
 */
export async function parseMultipart(
  request: HttpRequest,
  directory: UploadDirectory,
  limits: Partial<MultipartLimits> = {},
): Promise<MultipartForm> {
  refuseEncoding(request)
  const boundary = boundaryOf(request)
  return new MultipartReader(directory, { ...defaultMultipartLimits, ...limits }).read(
    request,
    boundary,
  )
}

function boundaryOf(request: HttpRequest): string {
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

function tooMuch(status: 400 | 413, message: string): HttpError {
  return new HttpError(status, 'http.multipart-too-large', message)
}

/** A text field under way. */
class FieldSink {
  readonly header: PartHeader
  readonly bytes = new GatheredBytes()

  constructor(header: PartHeader) {
    this.header = header
  }
}

/** One reading of one body, a piece at a time: the next comes when what goes to disk of the last is there. */
class MultipartReader implements PartListener {
  readonly #form = new MultipartForm()
  readonly #files: FileSink[] = []
  readonly #directory: UploadDirectory
  readonly #limits: MultipartLimits
  #fields = 0
  #inMemory = 0
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
      await request.body.consume(this.#limits.totalBytes, (piece) => {
        parser.write(piece)
        return this.#toFlush.length === 0 ? undefined : (this.#flushing = this.#flush())
      })
      parser.end()
      for (const sink of this.#files) await this.#keep(sink)
      return this.#form
    } catch (error) {
      // What is under way when the client leaves would make its file after all.
      await this.#flushing?.catch(() => {})
      await Promise.all(this.#files.map((sink) => sink.abandon()))
      throw error
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
      throw tooMuch(400, `More than ${limits.parts} parts were sent.`)
    if (isFile && this.#files.length === limits.files)
      throw tooMuch(400, `More than ${limits.files} files were sent.`)
    if (!isFile && this.#fields === limits.fields)
      throw tooMuch(400, `More than ${limits.fields} fields were sent.`)
    if (isFile) this.#current = this.#beginFile(header, fileName)
    else {
      this.#fields++
      this.#current = new FieldSink(header)
    }
  }

  data(content: Buffer): void {
    if (this.#current instanceof FileSink) this.#takeFile(this.#current, content)
    else this.#takeField(this.#current!, content)
  }

  end(): void {
    if (this.#current instanceof FileSink) {
      this.#current.end()
      if (this.#current.onDisk) this.#flushSoon(this.#current)
    } else this.#endField(this.#current!)
  }

  #beginFile({ name, contentType }: PartHeader, fileName: string): FileSink {
    if (Buffer.byteLength(fileName) > maxFileNameBytes)
      throw invalidMultipart('A file name is too long.')
    const sink = new FileSink({ fieldName: name, name: fileName, contentType }, this.#directory)
    this.#files.push(sink)
    return sink
  }

  #takeFile(sink: FileSink, content: Buffer): void {
    const { fileBytes, fileMemoryBytes, memoryBytes } = this.#limits
    const size = sink.size + content.length
    if (size > fileBytes) throw tooMuch(413, `A file is larger than ${fileBytes} bytes.`)
    const fits = size <= fileMemoryBytes && this.#inMemory + content.length <= memoryBytes
    if (fits && !sink.onDisk) {
      this.#inMemory += content.length
      sink.hold(content)
      return
    }
    // What it held goes to disk, too.
    if (!sink.onDisk) this.#inMemory -= sink.size
    sink.write(content)
    this.#flushSoon(sink)
  }

  #flushSoon(sink: FileSink): void {
    if (this.#toFlush.at(-1) !== sink) this.#toFlush.push(sink)
  }

  async #flush(): Promise<void> {
    const sinks = this.#toFlush
    this.#toFlush = []
    for (const sink of sinks) await sink.flush()
  }

  #takeField(field: FieldSink, content: Buffer): void {
    const { fieldBytes, memoryBytes } = this.#limits
    this.#inMemory += content.length
    if (field.bytes.length + content.length > fieldBytes || this.#inMemory > memoryBytes)
      throw tooMuch(413, 'The fields of the form are too large.')
    field.bytes.append(content)
  }

  #endField({ header, bytes }: FieldSink): void {
    const value = decode(header.charset ?? 'utf-8', bytes.view(), 'A field')
    if (value.includes('\0')) throw invalidMultipart('A field holds a NUL character.')
    append(this.#form.fields, header.name, value)
  }

  async #keep(sink: FileSink): Promise<void> {
    const file = sink.finished()
    if (file.name === '' && file.size === 0) return file.close()
    append(this.#form.files, file.fieldName, file)
  }
}

function append<T>(map: Map<string, T[]>, name: string, value: T): void {
  const values = map.get(name)
  if (values === undefined) map.set(name, [value])
  else values.push(value)
}
