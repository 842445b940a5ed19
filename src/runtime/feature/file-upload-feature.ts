/** The files of multipart forms. */
import {
  Registrations,
  registrationsOf,
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

/** Uploaded files by field name; `photos` finds `photos[]` too. @spec Parameter access › fileParams */
export class FileParams {
  readonly #files: ReadonlyMap<string, readonly UploadedFile[]>

  constructor(files: ReadonlyMap<string, readonly UploadedFile[]>) {
    this.#files = files
  }

  /** The first file of the field; `undefined` when none was chosen. */
  get(key: string): UploadedFile | undefined {
    return this.getAll(key)?.[0]
  }

  /** All files of the field, in the order sent; `undefined` when none was chosen. */
  getAll(key: string): readonly UploadedFile[] | undefined {
    return this.#files.get(key) ?? this.#files.get(`${key}[]`)
  }

  has(key: string): boolean {
    return this.getAll(key) !== undefined
  }

  /** The field names as the client sent them. */
  keys(): Iterable<string> {
    return this.#files.keys()
  }
}

/** The member that `fileUpload` adds. */
export interface HasFileUpload {
  /** Files are deleted when the request ends: copy what should stay. */
  readonly fileParams: FileParams
}

/** Options of `fileUpload`. */
export interface FileUploadOptions {
  /** Overrides the configuration's section `upload` for this controller. */
  readonly limits?: Partial<MultipartLimits>
}

const formOfRequest: unique symbol = Symbol('multipart form')
const limitsOfRoute: unique symbol = Symbol('upload limits')
const noFiles: ReadonlyMap<string, readonly UploadedFile[]> = new Map()

type WithForm = FwContext & { [formOfRequest]?: MultipartForm }

/** Reads a form once: if a route has read it and called `pass()`, the next route uses the same form. */
function readUpload(_controller: object, ctx: WithForm): Promise<void> | undefined {
  const { http } = ctx.request
  if (http.body.isEmpty || ctx[formOfRequest] !== undefined || !isMultipart(http)) return undefined
  const { directory, limits } = ctx.services.uploads
  const ownLimits = ctx.plan?.settings.get(limitsOfRoute) as Partial<MultipartLimits> | undefined
  return parseMultipart(http, directory, { ...limits, ...ownLimits }).then((form) => {
    ctx[formOfRequest] = form
    ctx.atRequestEnd(() => form.close())
    ctx.setForm(form.fields)
  })
}

bodyTypes.set(readUpload, 'multipart/form-data')

/**
 * Reads a multipart form before the first filter: its texts are parameters, its files `fileParams`. Large files are
 * stored in a temporary folder and deleted when the request ends.
 * @throws HttpError 400 `http.multipart-invalid`, 413 or 400 `http.multipart-too-large`: before any filter runs
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
        return new FileParams((this.ctx as WithForm)[formOfRequest]?.files ?? noFiles)
      }
    }
    return FileUploadFeature
  }
}

/** `fileUpload()` under the specification's name. @spec Parameter access › fileParams */
export const FileUploadFeature: <B extends ControllerClass>(Base: B) => B & Ctor<HasFileUpload> =
  fileUpload()
