/** The settings of what comes in and goes out: uploads, compression, public files. */
import { defineSettings, type SettingsOf } from '../config.ts'
import {
  defaultMultipartLimits as defaults,
  UploadDirectory,
  type MultipartLimits,
} from '../http.ts'

/** The sections `upload`, `compression` and `staticFiles`. */
export const bodySettings = defineSettings({
  upload: {
    location: {
      kind: 'string',
      doc: 'The folder for large uploads while their request runs; the system’s for temporary files unless given.',
    },
    maxRequestSize: { kind: 'size', default: defaults.totalBytes, min: 1024, doc: 'One request.' },
    maxFileSize: { kind: 'size', default: defaults.fileBytes, min: 1, doc: 'One file.' },
    maxFiles: { kind: 'int', default: defaults.files, min: 0, doc: 'Files of one request.' },
    maxFields: {
      kind: 'int',
      default: defaults.fields,
      min: 0,
      doc: 'Text fields of one request.',
    },
    maxParts: {
      kind: 'int',
      default: defaults.parts,
      min: 1,
      doc: 'Files and fields of one request.',
    },
    maxFieldSize: { kind: 'size', default: defaults.fieldBytes, min: 1, doc: 'One text field.' },
    maxMemory: {
      kind: 'size',
      default: defaults.memoryBytes,
      min: 1024,
      doc: 'What one request holds in memory: fields and small files.',
    },
    fileSizeThreshold: {
      kind: 'size',
      default: defaults.fileMemoryBytes,
      min: 0,
      doc: 'A larger file goes to disk.',
    },
  },
  compression: {
    enabled: {
      kind: 'boolean',
      default: false,
      doc: 'Compresses texts by gzip, brotli or zstd, as the client asks.',
    },
    minimumSize: { kind: 'size', default: 1024, min: 0, doc: 'A smaller body is sent as it is.' },
  },
  staticFiles: {
    maxAge: {
      kind: 'duration',
      default: 0,
      min: 0,
      max: 400 * 24 * 60 * 60 * 1000,
      doc: 'How long public files are used without asking; 0: each use asks whether they changed.',
    },
    precompressed: {
      kind: 'boolean',
      default: false,
      doc: 'Sends x.js.br, x.js.zst or x.js.gz in place of x.js when it is there and the client takes it.',
    },
  },
})

type BodySettings = SettingsOf<typeof bodySettings>

/** The application's one folder for uploads, and what a request may hold. */
export function uploadsOf({ upload }: BodySettings): {
  directory: UploadDirectory
  limits: MultipartLimits
} {
  return {
    directory: new UploadDirectory(upload.location),
    limits: {
      totalBytes: upload.maxRequestSize,
      fileBytes: upload.maxFileSize,
      files: upload.maxFiles,
      fields: upload.maxFields,
      parts: upload.maxParts,
      fieldBytes: upload.maxFieldSize,
      memoryBytes: upload.maxMemory,
      fileMemoryBytes: upload.fileSizeThreshold,
    },
  }
}
