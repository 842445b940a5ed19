/** Uploaded files. Small files stay in memory; others are stored in a private temporary folder until the request ends. */
import { hash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import * as fs from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { FwError } from '../base.ts'
import { GrowableBuffer } from './body-chunks.ts'

/** The metadata of a file as sent by the client, and the actual size of the file. */
interface UploadInfo {
  readonly fieldName: string
  readonly name: string
  readonly contentType: string | undefined
  readonly size: number
}

/**
 * An uploaded file, which is deleted when its request ends.
 * @spec Parameter access › fileParams
 */
export class UploadedFile implements UploadInfo {
  readonly fieldName: string
  /** The file name sent by the client, without folders. */
  readonly name: string
  /** The media type claimed by the client, in lower case and without parameters; undefined when missing. */
  readonly contentType: string | undefined
  /** The size in bytes. */
  readonly size: number
  #content: Uint8Array<ArrayBuffer> | string | undefined

  /** `content` is the bytes of the file, or the path of the temporary file. */
  constructor(info: UploadInfo, content: Uint8Array<ArrayBuffer> | string) {
    this.fieldName = info.fieldName
    this.name = info.name
    this.contentType = info.contentType
    this.size = info.size
    this.#content = content
  }

  /** Reads the whole file. @throws FwError `http.upload-closed` after the request has ended */
  async get(): Promise<Uint8Array<ArrayBuffer>> {
    const content = this.#open()
    return typeof content === 'string' ? fs.readFile(content) : content
  }

  /** Streams the file, so that a large file needs little memory. @throws as `get` */
  stream(): ReadableStream<Uint8Array> {
    const content = this.#open()
    const source =
      typeof content === 'string' ? createReadStream(content) : Readable.from([content])
    return Readable.toWeb(source) as ReadableStream<Uint8Array>
  }

  /** Copies the file to a path that must not exist yet. @throws as `get`; the error of the file system */
  async saveTo(path: string): Promise<void> {
    const content = this.#open()
    if (typeof content === 'string') await fs.copyFile(content, path, fs.constants.COPYFILE_EXCL)
    else await fs.writeFile(path, content, { flag: 'wx' })
  }

  /** Deletes the temporary file. A second call does nothing. */
  async close(): Promise<void> {
    const content = this.#content
    this.#content = undefined
    if (typeof content === 'string') await fs.rm(content, { force: true })
  }

  #open(): Uint8Array<ArrayBuffer> | string {
    if (this.#content !== undefined) return this.#content
    throw new FwError(
      'http.upload-closed',
      `The upload ${JSON.stringify(this.name)} is deleted: uploads end with their request. Read or save it before.`,
    )
  }
}

/** Receives the content of one uploaded file. `hold` keeps bytes in memory, `write` queues bytes for the disk. */
export class FileSink {
  size = 0
  /** True after the first call of `write` or `moveToDisk`. */
  onDisk = false
  /** True after `drop`: the file is too large, so that its content is neither kept nor written. */
  isDropped = false
  readonly #info: Omit<UploadInfo, 'size'>
  readonly #directory: UploadDirectory
  readonly #held = new GrowableBuffer()
  #unwritten: Uint8Array[] = []
  #ended = false
  #handle: FileHandle | undefined
  #path: string | undefined

  constructor(info: Omit<UploadInfo, 'size'>, directory: UploadDirectory) {
    this.#info = info
    this.#directory = directory
  }

  /** Keeps a copy of the bytes in memory. */
  hold(bytes: Uint8Array): void {
    this.size += bytes.length
    this.#held.append(bytes)
  }

  /** Queues bytes for the disk without a copy. The bytes must not change until the next `flush` has resolved. */
  write(bytes: Uint8Array): void {
    this.size += bytes.length
    this.onDisk = true
    this.#unwritten.push(bytes)
  }

  /** Writes the bytes in memory to disk in the next `flush`. */
  moveToDisk(): void {
    this.onDisk = true
  }

  get fieldName(): string {
    return this.#info.fieldName
  }

  /** Forgets the bytes in memory. The next `flush` deletes those on the disk. */
  drop(): void {
    this.isDropped = true
    this.#held.clear()
    this.#unwritten = []
  }

  end(): void {
    this.#ended = true
  }

  /** Writes the bytes in memory and the queued bytes to disk. After `end`, also closes the file. */
  async flush(): Promise<void> {
    if (this.isDropped) return this.abandon()
    if (this.#handle === undefined)
      ({ path: this.#path, handle: this.#handle } = await this.#directory.create())
    await writeAll(this.#handle, this.#held.view())
    this.#held.clear()
    for (const bytes of this.#unwritten) await writeAll(this.#handle, bytes)
    this.#unwritten = []
    if (this.#ended) await this.#close()
  }

  /** Returns the uploaded file. Call it after `end` and the last `flush`. */
  toFile(): UploadedFile {
    const content = this.#path ?? this.#held.view()
    return new UploadedFile({ ...this.#info, size: this.size }, content)
  }

  /** Closes and deletes the file on disk. Do not call it while a `flush` is running. */
  async abandon(): Promise<void> {
    try {
      await this.#close()
    } finally {
      if (this.#path !== undefined) await fs.rm(this.#path, { force: true })
      this.#path = undefined
    }
  }

  async #close(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await handle.write(bytes, at)).bytesWritten
}

const prefix = 'fwjs-uploads-'
const folderName = /^fwjs-uploads-([0-9a-f]{8})-(\d{1,10})-/
const otherHostLifetime = 24 * 60 * 60 * 1000

/** A temporary folder for uploads. It is created on first use, and only the current user can read it (mode 0700). */
export class UploadDirectory {
  readonly #root: string
  #path: Promise<string> | undefined

  /** `root` is the parent folder; default the system's folder for temporary files. */
  constructor(root: string = tmpdir()) {
    this.#root = root
  }

  /** Creates a file with a random name (mode 0600). Creates the folder again if another program has deleted it. */
  async create(): Promise<{ path: string; handle: FileHandle }> {
    const folder = this.#path
    try {
      return await this.#createFile()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      // A cleaner of temporary files deletes folders that look unused. Another upload may already have created a new
      // folder.
      if (this.#path === folder) this.#path = undefined
      await fs.mkdir(this.#root, { recursive: true })
      return this.#createFile()
    }
  }

  async #createFile(): Promise<{ path: string; handle: FileHandle }> {
    this.#path ??= fs.mkdtemp(join(this.#root, `${prefix}${hostHash()}-${process.pid}-`))
    // Forgets a failed creation, so that the next upload tries again.
    const directory = await this.#path.catch((error: unknown) => {
      this.#path = undefined
      throw error
    })
    const path = join(directory, randomBytes(16).toString('hex'))
    return { path, handle: await fs.open(path, 'wx', 0o600) }
  }

  /** Creates `root`, and deletes the folders of crashed processes. Call it when the application starts. */
  async sweep(): Promise<void> {
    await fs.mkdir(this.#root, { recursive: true })
    for (const entry of await fs.readdir(this.#root)) {
      const path = join(this.#root, entry)
      if (await isAbandoned(entry, path)) await fs.rm(path, { recursive: true, force: true })
    }
  }

  /** Deletes the folder and its files. Call it when the application stops. */
  async close(): Promise<void> {
    const path = this.#path
    this.#path = undefined
    if (path !== undefined) await fs.rm(await path, { recursive: true, force: true })
  }
}

// Identifies the host in the folder name: containers on several hosts may share `root`, and their process ids are
// unrelated.
const hostHash = (): string => hash('sha256', hostname()).slice(0, 8)

async function isAbandoned(entry: string, path: string): Promise<boolean> {
  const [, host, pid] = folderName.exec(entry) ?? []
  if (host === undefined) return false
  if (host !== hostHash()) return (await changedAt(path)) < Date.now() - otherHostLifetime
  // A folder with our process id that is older than this process belongs to an earlier process. A newer one belongs to
  // another application in this process.
  if (Number(pid) === process.pid)
    return (await changedAt(path)) < Date.now() - process.uptime() * 1000
  return !isRunning(Number(pid))
}

// A folder that no longer exists counts as new, so that the sweep skips it.
async function changedAt(path: string): Promise<number> {
  try {
    return (await fs.stat(path)).mtimeMs
  } catch {
    return Infinity
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
