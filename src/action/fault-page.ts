/** The page of a fault for whoever develops the application: what happened, and where. */
import { escapeXml as escape } from '../http.ts'
import { templateFault } from '../view.ts'
import type { FwContext } from './context.ts'

const style =
  'body{font:1rem/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}' +
  'h1{font-size:1.25rem}pre{overflow:auto;padding:1rem;border:1px solid;border-radius:.4rem}code{font-size:.9rem}'

const loopback = /^(127\.|::1$|::ffff:127\.)/

/** Only in development, and only to a browser on the same machine. */
export function showsFaults({ services, request }: FwContext): boolean {
  return services.showErrors && loopback.test(request.remoteAddress)
}

function told(error: unknown): string {
  if (!(error instanceof Error)) return `Something that is no error was thrown: ${String(error)}`
  const { code } = error as { code?: unknown }
  return error.message + (typeof code === 'string' ? ` (${code})` : '')
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const cause =
    error.cause === undefined ? '' : `\n\ncaused by ${stackOf(error.cause) || String(error.cause)}`
  return (error.stack ?? '') + cause
}

/** The template's line, when the error comes from one. */
function templatePart(error: unknown): string {
  const fault = templateFault(error)
  if (fault === undefined) return ''
  return `<h2>${escape(fault.place)}</h2><p>${escape(fault.reason)}</p><pre><code>${escape(fault.frame)}</code></pre>`
}

/** The whole page; its style carries the response's nonce. */
export function faultPage(ctx: FwContext, error: unknown): string {
  const { method, path } = ctx.request
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escape(told(error))}</title>` +
    `<style nonce="${ctx.cspNonce}">${style}</style></head><body>` +
    `<h1>${escape(told(error))}</h1><p><code>${escape(`${method} ${path.text}`)}</code></p>` +
    `${templatePart(error)}<pre><code>${escape(stackOf(error))}</code></pre></body></html>`
  )
}
