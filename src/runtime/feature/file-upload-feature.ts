/** `fileUpload`: reads multipart forms and gives actions the uploaded files. */
import {
  Registrations,
  registrationsOf,
  slot,
  type ControllerClass,
  type Ctor,
  type FwContext,
} from '../action.ts'
import { HttpError } from '../base.ts'
import {
  formatBytes,
  isMultipart,
  parseMultipart,
  type MultipartForm,
  type MultipartLimits,
  type TooLarge,
  type UploadedFile,
} from '../http.ts'
import type { ValidationError } from '../validation.ts'
import { bodyTypes } from './body-params.ts'

/** The uploaded files by field name; `photos` also finds `photos[]`. @spec Parameter access › fileParams */
export class FileParams {
  readonly #form: UploadedForm

  constructor(form: UploadedForm) {
    this.#form = form
  }

  /**
   * Returns the first file of the field; `undefined` if the visitor chose no file.
   * @throws HttpError 413 `http.multipart-too-large` if a file of the field is too large
   */
  get(key: string): UploadedFile | undefined {
    return this.getAll(key)?.[0]
  }

  /**
   * Returns all files of the field in the order in which they were sent; `undefined` if the visitor chose no file.
   * @throws HttpError 413 `http.multipart-too-large` if a file of the field is too large
   */
  getAll(key: string): readonly UploadedFile[] | undefined {
    const { files, tooLarge } = this.#form
    const reason = findField(tooLarge, key)
    if (reason !== undefined) throw tooLargeError(key, reason)
    return findField(files, key)
  }

  has(key: string): boolean {
    return findField(this.#form.files, key) !== undefined || this.isTooLarge(key)
  }

  /** Returns true if a file of the field was too large. A validation then fails with an error of the key, or of `<key>Id`. */
  isTooLarge(key: string): boolean {
    return findField(this.#form.tooLarge, key) !== undefined
  }

  /** Returns the field names as the client sent them. */
  keys(): Iterable<string> {
    return new Set([...this.#form.files.keys(), ...this.#form.tooLarge.keys()])
  }
}

type UploadedForm = Pick<MultipartForm, 'files' | 'tooLarge'>

const findField = <T>(fields: ReadonlyMap<string, T>, key: string): T | undefined =>
  fields.get(key) ?? fields.get(`${key}[]`)

function tooLargeError(key: string, { limit, together }: TooLarge): HttpError {
  const subject = together ? 'The files of the form are' : `The file '${key}' is`
  const message = `${subject} larger than ${formatBytes(limit)}.`
  return new HttpError(413, 'http.multipart-too-large', message)
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
const noUpload: UploadedForm = { files: new Map(), tooLarge: new Map() }

function readUpload(_controller: object, ctx: FwContext): Promise<void> | undefined {
  const { http } = ctx.request
  if (http.body.isEmpty || !isMultipart(http) || formOfRequest.get(ctx) !== undefined)
    return undefined
  return parseMultipart(http, ctx.services.uploads.directory, uploadLimits(ctx)).then((form) => {
    formOfRequest.set(ctx, form)
    ctx.atRequestEnd(() => form.close())
    ctx.setForm(form.fields)
  })
}

/** Returns the limits of uploads on the request's route. */
export function uploadLimits(ctx: FwContext): MultipartLimits {
  const ownLimits = ctx.plan?.settings.get(limitsOfRoute) as Partial<MultipartLimits> | undefined
  return { ...ctx.services.uploads.limits, ...ownLimits }
}

/** Returns the names of the request's fields with files. */
export const uploadedFields = (ctx: FwContext): readonly string[] => [
  ...new FileParams(formOfRequest.get(ctx) ?? noUpload).keys(),
]

const noErrors: ReadonlyMap<string, ValidationError> = new Map()

/** Returns the errors of files that are too large, by the name of their field. */
export function uploadErrors(ctx: FwContext): ReadonlyMap<string, ValidationError> {
  const { tooLarge } = formOfRequest.get(ctx) ?? noUpload
  if (tooLarge.size === 0) return noErrors
  const errors = new Map<string, ValidationError>()
  for (const [field, { limit, together }] of tooLarge)
    errors.set(field.replace(/\[\]$/, ''), {
      name: together ? 'filesSize' : 'fileSize',
      messageParams: [ctx.i18n.formatFileSize(limit)],
    })
  return errors
}

bodyTypes.set(readUpload, 'multipart/form-data')

/**
 * Reads a multipart form before the first filter: its text fields become parameters, its files `fileParams`. Large files are
 * stored in a temporary folder and deleted when the request ends. A file that is too large is an error of its field in every
 * `validation`, and a 413 for an action that reads it.
 * @throws HttpError, before any filter runs: 400 `http.multipart-invalid`, 400 `http.multipart-too-large` for too many parts, and
 * 413 for a form with too much text, or of more than four times the allowed size
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
        return new FileParams(formOfRequest.get(this.ctx) ?? noUpload)
      }
    }
    return FileUploadFeature
  }
}

/** The same as `fileUpload()`, under the specification's name. @spec Parameter access › fileParams */
export const FileUploadFeature: <B extends ControllerClass>(Base: B) => B & Ctor<HasFileUpload> =
  fileUpload()
