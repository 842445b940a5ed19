/** multipart/form-data: fields as text, files to memory or disk, limits on everything. */
import { Busboy } from '@fastify/busboy'
import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy'
import { HttpError } from '../base.ts'
import { refuseEncoding } from './body.ts'
import { parseContentType } from './content-type.ts'
import { FileSink } from './file-sink.ts'
import type { HttpRequest } from './http-request.ts'
import { defaultMultipartLimits } from './multipart-limits.ts'
import type { MultipartLimits } from './multipart-limits.ts'
import { claimedTypes, limitPartHeaders } from './part-headers.ts'
import type { FieldMap } from './query.ts'
import type { UploadDirectory } from './upload-directory.ts'
import type { UploadedFile } from './uploaded-file.ts'

const maxNameBytes = 256
const maxFileNameBytes = 255
const maxPreambleBytes = 16 * 1024
const maxPartHeaderBytes = 16 * 1024
const maxPartHeaders = 16
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
  const reader = new MultipartReader(boundaryOf(request), directory, {
    ...defaultMultipartLimits,
    ...limits,
  })
  return reader.read(request)
}

function boundaryOf(request: HttpRequest): string {
  const contentType = parseContentType(request.header('content-type') ?? '')
  const boundary = contentType?.parameters.get('boundary')
  if (
    contentType?.essence !== 'multipart/form-data' ||
    boundary === undefined ||
    !boundarySyntax.test(boundary)
  ) {
    throw invalid(
      'The Content-Type must be multipart/form-data with one boundary of 1 to 70 characters.',
    )
  }
  return boundary
}

function invalid(message: string): HttpError {
  return new HttpError(400, 'http.multipart-invalid', message)
}

function tooMuch(status: 400 | 413, message: string): HttpError {
  return new HttpError(status, 'http.multipart-too-large', message)
}

/** One reading of one body; what goes wrong in any of its callbacks ends it once. */
class MultipartReader {
  readonly #form = new MultipartForm()
  readonly #sinks: FileSink[] = []
  readonly #delimiter: string
  readonly #directory: UploadDirectory
  readonly #limits: MultipartLimits
  readonly #parser: BusboyInstance
  readonly #done = Promise.withResolvers<void>()
  #head: Buffer | undefined = Buffer.alloc(0)
  #inMemory = 0
  #failed = false

  constructor(boundary: string, directory: UploadDirectory, limits: MultipartLimits) {
    this.#delimiter = `--${boundary}`
    this.#directory = directory
    this.#limits = limits
    this.#parser = this.#listen(boundary)
    this.#done.promise.catch(() => {
      this.#failed = true
    })
  }

  async read(request: HttpRequest): Promise<MultipartForm> {
    if (request.body.isEmpty) throw invalid('The multipart body is empty.')
    const source = request.body.stream(this.#limits.totalBytes).getReader()
    try {
      await Promise.race([this.#pump(source), this.#done.promise])
      await this.#done.promise
      for (const sink of this.#sinks) await this.#keep(sink)
      return this.#form
    } catch (error) {
      this.#failed = true
      source.cancel().catch(() => {})
      this.#parser.destroy()
      await Promise.all(this.#sinks.map((sink) => sink.abandon()))
      await this.#form.close()
      throw error
    }
  }

  async #pump(source: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    for (;;) {
      const { done, value } = await source.read()
      if (this.#failed) return
      const chunk = this.#withoutPreamble(value, done)
      if (chunk !== undefined && !this.#parser.write(chunk)) await this.#drained()
      if (done) break
    }
    this.#parser.end()
  }

  // The parser would read through a preamble of any length.
  #withoutPreamble(value: Uint8Array | undefined, done: boolean): Buffer | undefined {
    const chunk = value && Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    if (this.#head === undefined) return chunk
    const head = chunk === undefined ? this.#head : Buffer.concat([this.#head, chunk])
    const start = head.indexOf(this.#delimiter)
    if (start > maxPreambleBytes || (start === -1 && (done || head.length > maxPreambleBytes))) {
      throw invalid('The multipart body does not begin with its boundary.')
    }
    this.#head = start === -1 ? head : undefined
    return start === -1 ? undefined : head.subarray(start)
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => this.#parser.once('drain', resolve))
  }

  #listen(boundary: string): BusboyInstance {
    const limits = this.#limits
    const parser = new Busboy({
      headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
      isPartAFile: (_field, _type, fileName) => fileName !== undefined,
      limits: {
        fieldSize: limits.fieldBytes,
        fileSize: limits.fileBytes,
        files: limits.files,
        fields: limits.fields,
        parts: limits.parts,
        // One more than may be, so that it shows.
        headerPairs: maxPartHeaders + 1,
        headerSize: maxPartHeaderBytes,
      },
    })
    const refuse = (error: HttpError) => () => this.#done.reject(error)
    const typeOf = claimedTypes(parser)
    limitPartHeaders(parser, maxPartHeaders, refuse(invalid('The header of a part is too large.')))
    parser.on('file', (name, stream, fileName, _encoding, type) =>
      this.#file(name, stream, fileName, typeOf(type)),
    )
    parser.on('field', (name, value, _nameCut, valueCut) => this.#field(name, value, valueCut))
    parser.on('partsLimit', refuse(tooMuch(400, `More than ${limits.parts} parts were sent.`)))
    parser.on('filesLimit', refuse(tooMuch(400, `More than ${limits.files} files were sent.`)))
    parser.on('fieldsLimit', refuse(tooMuch(400, `More than ${limits.fields} fields were sent.`)))
    parser.on('finish', () => this.#done.resolve())
    parser.on('error', refuse(invalid('The multipart body is malformed or incomplete.')))
    return parser
  }

  #field(name: string | undefined, value: string, cut: boolean): void {
    const problem = this.#nameProblem(name)
    this.#inMemory += value.length
    if (problem !== undefined) this.#done.reject(invalid(problem))
    else if (value.includes('\0')) this.#done.reject(invalid('A field holds a NUL character.'))
    else if (cut || this.#inMemory > this.#limits.memoryBytes) {
      this.#done.reject(tooMuch(413, 'The fields of the form are too large.'))
    } else append(this.#form.fields, name!, value)
  }

  #file(
    name: string | undefined,
    stream: BusboyFileStream,
    fileName: string,
    type: string | undefined,
  ): void {
    stream.on('error', () => {})
    const problem =
      this.#nameProblem(name) ??
      (Buffer.byteLength(fileName) > maxFileNameBytes ? 'A file name is too long.' : undefined)
    if (problem !== undefined) {
      stream.resume()
      this.#done.reject(invalid(problem))
      return
    }
    stream.on('limit', () => {
      this.#done.reject(tooMuch(413, `A file is larger than ${this.#limits.fileBytes} bytes.`))
    })
    const sink = new FileSink(
      // As browsers write it; they leave a percent sign that was there before as it is.
      { fieldName: name!, name: fileName.replaceAll('%22', '"'), contentType: type },
      this.#directory,
      (bytes, held) => this.#mayHold(bytes, held),
    )
    this.#sinks.push(sink)
    sink.consume(stream).catch((error: unknown) => this.#done.reject(error))
  }

  // True when a file that holds `held` bytes may keep `bytes` more in memory.
  #mayHold(bytes: number, held: number): boolean {
    if (held + bytes > this.#limits.fileMemoryBytes) return false
    if (this.#inMemory + bytes > this.#limits.memoryBytes) return false
    this.#inMemory += bytes
    return true
  }

  async #keep(sink: FileSink): Promise<void> {
    const file = await sink.finished()
    if (file.name === '' && file.size === 0) return file.close()
    append(this.#form.files, file.fieldName, file)
  }

  #nameProblem(name: string | undefined): string | undefined {
    if (name === undefined || name === '') return 'A part has no name.'
    return Buffer.byteLength(name) > maxNameBytes
      ? `A part name is longer than ${maxNameBytes} bytes.`
      : undefined
  }
}

function append<T>(map: Map<string, T[]>, name: string, value: T): void {
  const values = map.get(name)
  if (values === undefined) map.set(name, [value])
  else values.push(value)
}
