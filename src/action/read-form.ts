/** Reads a form before the first filter, so that parameters can be asked for at once. */
import type { FwContext } from './context.ts'

/**
 * Nothing for requests without an urlencoded body.
 * @throws HttpError 413 `http.body-too-large`, 400 `http.query-invalid`
 */
export function readForm(ctx: FwContext): Promise<void> | undefined {
  const { request } = ctx
  if (request.http.body.isEmpty || request.mediaType !== 'application/x-www-form-urlencoded')
    return undefined
  return request.readForm().then((fields) => ctx.takeForm(fields))
}
