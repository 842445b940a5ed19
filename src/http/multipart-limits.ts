/** How much one multipart body may hold. */

/** Bytes and counts; more is refused, 413 for bytes and 400 for counts. */
export interface MultipartLimits {
  /** The whole body. Default 10 MiB. */
  readonly totalBytes: number
  /** One file. Default 8 MiB. */
  readonly fileBytes: number
  /** Default 20. */
  readonly files: number
  /** Default 200. */
  readonly fields: number
  /** Files and fields. Default 1000. */
  readonly parts: number
  /** One text field. Default 1 MiB. */
  readonly fieldBytes: number
  /** Fields and small files together; further files go to disk, further fields are refused. Default 2 MiB. */
  readonly memoryBytes: number
  /** A file that is larger goes to disk. Default 64 KiB. */
  readonly fileMemoryBytes: number
}

/** What a body may hold unless the application says otherwise. */
export const defaultMultipartLimits: MultipartLimits = {
  totalBytes: 10 * 1024 * 1024,
  fileBytes: 8 * 1024 * 1024,
  files: 20,
  fields: 200,
  parts: 1000,
  fieldBytes: 1024 * 1024,
  memoryBytes: 2 * 1024 * 1024,
  fileMemoryBytes: 64 * 1024,
}
