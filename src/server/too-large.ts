/** The refusal of a body, whatever brings it. */
import { HttpError } from '../base.ts'

/** More than the reader allows. */
export function tooLarge(limit: number): HttpError {
  return new HttpError(413, 'http.body-too-large', `The body is larger than ${limit} bytes.`)
}
