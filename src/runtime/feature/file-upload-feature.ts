/** `fileUpload`: reads multipart forms and gives actions the uploaded files. */
import {
  Registrations,
  registrationsOf,
  slot,
  type ControllerClass,
  type Ctor,
  type FwContext,
} from '../action.ts'
import {
  isMultipart,
  parseMultipart,
  type MultipartForm,
  type MultipartLimits,
  type UploadedFile,
} from '../http.ts'
import { bodyTypes } from './body-params.ts'

/** The uploaded files by field name; `photos` also finds `photos[]`. @spec Parameter access › fileParams */
export class FileParams {
  readonly #files: ReadonlyMap<string, readonly UploadedFile[]>

  constructor(files: ReadonlyMap<string, readonly UploadedFile[]>) {
    this.#files = files
  }

  /** Returns the first file of the field; `undefined` if the visitor chose no file. */
  get(key: string): UploadedFile | undefined {
    return this.getAll(key)?.[0]
  }

  /** Returns all files of the field in the order in which they were sent; `undefined` if the visitor chose no file. */
  getAll(key: string): readonly UploadedFile[] | undefined {
    return this.#files.get(key) ?? this.#files.get(`${key}[]`)
  }

  has(key: string): boolean {
    return this.getAll(key) !== undefined
  }

  /** Returns the field names as the client sent them. */
  keys(): Iterable<string> {
    return this.#files.keys()
  }
}

export interface HasFileUpload {
  /** The uploaded files. They are deleted when the request ends: copy the files that you want to keep. */
  readonly fileParams: FileParams
}

export interface FileUploadOptions {
  /** Limits that override those of the section `upload` of the configuration, for this controller only. */
  readonly limits?: Partial<MultipartLimits>
}

/** A route that runs after `pass()`, and a repeated attempt, use the form that was already read. */
const formOfRequest = slot<MultipartForm>('request')
const limitsOfRoute: unique symbol = Symbol('upload limits')
const noFiles: ReadonlyMap<string, readonly UploadedFile[]> = new Map()

function readUpload(_controller: object, ctx: FwContext): Promise<void> | undefined {
  const { http } = ctx.request
  if (http.body.isEmpty || !isMultipart(http) || formOfRequest.get(ctx) !== undefined)
    return undefined
  const { directory, limits } = ctx.services.uploads
  const ownLimits = ctx.plan?.settings.get(limitsOfRoute) as Partial<MultipartLimits> | undefined
  return parseMultipart(http, directory, { ...limits, ...ownLimits }).then((form) => {
    formOfRequest.set(ctx, form)
    ctx.atRequestEnd(() => form.close())
    ctx.setForm(form.fields)
  })
}

/** Returns the names of the request's fields with files. */
export const uploadedFields = (ctx: FwContext): readonly string[] => [
  ...(formOfRequest.get(ctx)?.files.keys() ?? []),
]

bodyTypes.set(readUpload, 'multipart/form-data')

/**
 * Reads a multipart form before the first filter: its text fields become parameters, its files `fileParams`. Large files are
 * stored in a temporary folder and deleted when the request ends.
 * @throws HttpError, before any filter runs: 400 `http.multipart-invalid`, 413 or 400 `http.multipart-too-large`
 * @spec Endpoints › File download endpoint
 */
export function fileUpload({ limits }: FileUploadOptions = {}) {
  return <B extends ControllerClass>(Base: B): B & Ctor<HasFileUpload> => {
    abstract class FileUploadFeature extends Base implements HasFileUpload {
      static {
        const own = registrationsOf(this)
        if (!Registrations.has(this, readUpload)) own.add('body', readUpload)
        if (limits !== undefined) own.configure(limitsOfRoute, limits)
      }

      get fileParams(): FileParams {
        return new FileParams(formOfRequest.get(this.ctx)?.files ?? noFiles)
      }
    }
    return FileUploadFeature
  }
}

/** The same as `fileUpload()`, under the specification's name. @spec Parameter access › fileParams */
export const FileUploadFeature: <B extends ControllerClass>(Base: B) => B & Ctor<HasFileUpload> =
  fileUpload()
