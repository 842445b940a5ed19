/** `callAtEnd`: calls the callbacks of `atRequestEnd`. */
import type { Logger } from '../base.ts'
import { isStreamed, WatchedBody, type HttpResponse } from '../http.ts'

type Callbacks = readonly (() => unknown)[]

/** Calls the callbacks: immediately, or for a streamed body after it has been sent or aborted. Logs their errors. */
export function callAtEnd(callbacks: Callbacks, response: HttpResponse, logger: Logger): void {
  const callAll = (): void => {
    for (const work of callbacks)
      Promise.resolve()
        .then(work)
        .catch((err: unknown) => logger.error({ err }, 'the end of a request failed'))
  }
  if (isStreamed(response.body)) response.body = new WatchedBody(response.body, callAll)
  else callAll()
}
