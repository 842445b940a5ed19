/** Gives a controller the files of its multipart forms. */
import {
  atRequestEnd,
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

/** Uploaded files by field name; `photos` finds `photos[]` too. @spec Parameter access › fileParams */
export class FileParams {
  readonly #files: ReadonlyMap<string, readonly UploadedFile[]>

  constructor(files: ReadonlyMap<string, readonly UploadedFile[]>) {
    this.#files = files
  }

  /** The first file of the field; `undefined` when none was chosen. */
  get(key: string): UploadedFile | undefined {
    return filesOf(this.#files, key)?.[0]
  }

  has(key: string): boolean {
    return filesOf(this.#files, key) !== undefined
  }

  /** The field names as they were sent. */
  keys(): Iterable<string> {
    return this.#files.keys()
  }
}

/** Every uploaded file of each field, in the order sent. @spec Parameter access › fileParams */
export class FileMultiParams {
  readonly #files: ReadonlyMap<string, readonly UploadedFile[]>

  constructor(files: ReadonlyMap<string, readonly UploadedFile[]>) {
    this.#files = files
  }

  /** All files of the field; `undefined` when none was chosen. */
  get(key: string): readonly UploadedFile[] | undefined {
    return filesOf(this.#files, key)
  }

  has(key: string): boolean {
    return filesOf(this.#files, key) !== undefined
  }

  /** The field names as they were sent. */
  keys(): Iterable<string> {
    return this.#files.keys()
  }
}

/** What `FileUploadFeature` adds. */
export interface HasFileUpload {
  /** The first file of each field. They are deleted when the request ends: save what is to stay. */
  readonly fileParams: FileParams
  /** All files of each field. */
  readonly fileMultiParams: FileMultiParams
  /** Laid over the limits of the configuration's section `upload`; override it for a controller that takes more, or less. */
  readonly uploadLimits: Partial<MultipartLimits>
}

const forms = new WeakMap<FwContext, MultipartForm>()
const noFiles: ReadonlyMap<string, readonly UploadedFile[]> = new Map()

function filesOf(
  files: ReadonlyMap<string, readonly UploadedFile[]>,
  key: string,
): readonly UploadedFile[] | undefined {
  return files.get(key) ?? files.get(`${key}[]`)
}

// What a route that passed has read stays for the next one.
function readUpload(ctx: FwContext, limits: Partial<MultipartLimits>): Promise<void> | undefined {
  const { http } = ctx.request
  if (http.body.isEmpty || forms.has(ctx) || !isMultipart(http)) return undefined
  const { uploads } = ctx.services
  return parseMultipart(http, uploads.directory, { ...uploads.limits, ...limits }).then((form) => {
    forms.set(ctx, form)
    atRequestEnd(ctx, () => form.close())
    ctx.takeForm(form.fields)
  })
}

/**
 * Reads a multipart form before the first filter: its texts are parameters, its files `fileParams`. Large files lie in
 * a temporary folder, and are gone when the request has ended, however it ended.
 * @throws HttpError 400 `http.multipart-invalid`, 413 or 400 `http.multipart-too-large`: before any filter runs
 * @spec Endpoints › File download endpoint
 */
export const FileUploadFeature = <B extends ControllerClass>(Base: B): B & Ctor<HasFileUpload> => {
  abstract class FileUploadFeature extends Base implements HasFileUpload {
    static {
      registrationsOf(this).add('body', (controller: FileUploadFeature, ctx: FwContext) =>
        readUpload(ctx, controller.uploadLimits),
      )
    }

    get fileParams(): FileParams {
      return new FileParams(forms.get(this.ctx)?.files ?? noFiles)
    }

    get fileMultiParams(): FileMultiParams {
      return new FileMultiParams(forms.get(this.ctx)?.files ?? noFiles)
    }

    get uploadLimits(): Partial<MultipartLimits> {
      return {}
    }
  }
  return FileUploadFeature
}
