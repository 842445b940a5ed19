/** A page with the fields of a form, which the visitor sends again: what the visitor has written is never lost. */
import { isPromise, isSecretName, type MaybePromise } from '../base.ts'
import { escapeXml } from '../http.ts'
import { csrfKey } from '../session.ts'
import { renderLayout, SafeHtml } from '../view.ts'
import type { FwContext } from './context.ts'
import { createRenderRequest } from './fragment.ts'
import type { FwRequest } from './request.ts'

/** The fields of a form in their order; a name may occur several times. */
export type FormFields = readonly (readonly [name: string, value: string])[]

/** The texts of the page by their keys below `repeat` in `messages.yml`, in English. */
const texts = {
  heading: 'Please send the form again',
  tooOld:
    'The form was too old to be saved. Nothing that you wrote is lost: check it and send it again.',
  loggedIn: 'You are logged in. Check what you wrote before and send it.',
  logIn: 'Your session has ended. Log in in another tab, then send the form again.',
  files: 'Choose the files again.',
  send: 'Send',
  continue: 'Continue',
}

/** The reason for which the visitor sends the form again. */
export type RepeatReason = 'tooOld' | 'loggedIn' | 'logIn'

/** The parts of the page. */
interface RepeatedForm {
  readonly reason: RepeatReason
  /** The path to which the form is sent. */
  readonly target: string
  readonly fields: FormFields
  /** The names of the fields with files, which the visitor has to choose again. */
  readonly fileFields?: readonly string[]
  /** The path of the login, which the page shows as a link. */
  readonly loginPath?: string
}

function text({ i18n }: FwContext, key: keyof typeof texts): string {
  return escapeXml(i18n.message(`repeat.${key}`) ?? texts[key])
}

/**
 * Returns path and query of the request, for a form or a redirect to the same address; undefined if a browser would read another
 * host. Browsers replace a backslash in a path by a slash.
 */
export function repeatableTarget({ http }: FwRequest): string | undefined {
  if (http.target.startsWith('//')) return undefined
  return (http.mountPath + http.target).replaceAll('\\', '%5C')
}

/** Returns the fields of the request's form without the forgery token. */
export const formFields = ({ request }: FwContext): FormFields =>
  [...request.form].flatMap(([name, values]) =>
    name === csrfKey ? [] : values.map((value) => [name, value] as const),
  )

/** Returns the page in the layout of the application; a promise only if the layout is loaded or awaits a value. */
export const renderRepeatedForm = (ctx: FwContext, form: RepeatedForm): MaybePromise<SafeHtml> =>
  addLayout(ctx, formHtml(ctx, form))

/** Returns the page without the layout. */
export const renderRepeatedFormAlone = (ctx: FwContext, form: RepeatedForm): SafeHtml =>
  alone(ctx, formHtml(ctx, form))

function formHtml(ctx: FwContext, form: RepeatedForm): string {
  const { reason, target, fields, fileFields = [], loginPath } = form
  const token = ctx.sessionScope.maskToken() ?? ''
  const encoding = fileFields.length > 0 ? ' enctype="multipart/form-data"' : ''
  const parts = [
    `<h1>${text(ctx, 'heading')}</h1>`,
    `<p role="alert">${text(ctx, reason)}</p>`,
    loginPath === undefined
      ? ''
      : `<p><a href="${escapeXml(loginPath)}" target="_blank">${escapeXml(loginPath)}</a></p>`,
    `<form method="post" action="${escapeXml(target)}"${encoding}>`,
    hiddenInput(csrfKey, token),
    ...fields.map(([name, value]) => visibleInput(name, value)),
    fileFields.length === 0 ? '' : `<p>${text(ctx, 'files')}</p>`,
    ...fileFields.map(
      (name) =>
        `<p><label>${escapeXml(name)}<br><input type="file" name="${escapeXml(name)}"></label></p>`,
    ),
    `<p><button>${text(ctx, 'send')}</button></p></form>`,
  ]
  return parts.join('\n')
}

/**
 * Returns a page that sends the fields to `target` as a request of the application's own site. Without scripts, the visitor
 * presses a button. The script calls the method of the prototype, because a field named `submit` hides that of the form.
 */
export function renderSameSiteForm(ctx: FwContext, target: string, fields: FormFields): SafeHtml {
  const inputs = fields.map(([name, value]) => hiddenInput(name, value)).join('\n')
  const nonce = escapeXml(ctx.cspNonce)
  return new SafeHtml(
    `${documentStart(ctx)}<head><meta charset="utf-8"><title>${text(ctx, 'continue')}</title></head>` +
      `<body><form method="post" action="${escapeXml(target)}">${inputs}<button>${text(ctx, 'continue')}</button></form>` +
      `<script nonce="${nonce}">HTMLFormElement.prototype.submit.call(document.forms[0])</script></body></html>`,
  )
}

const hiddenInput = (name: string, value: string): string =>
  `<input type="hidden" name="${escapeXml(name)}" value="${escapeXml(value)}">`

/** Returns a field that shows its value. The parser of HTML drops the first line break of a text area. */
function visibleInput(name: string, value: string): string {
  if (value === '' || name.startsWith('_') || isSecretName(name)) return hiddenInput(name, value)
  const rows = Math.min(12, value.split('\n').length)
  return `<p><label>${escapeXml(name)}<br><textarea name="${escapeXml(name)}" rows="${rows}" cols="60">\n${escapeXml(value)}</textarea></label></p>`
}

/** Renders the page in the application's layout. Without a layout, and if the layout fails, returns the page alone. */
function addLayout(ctx: FwContext, body: string): MaybePromise<SafeHtml> {
  const finish = (page: string): SafeHtml => (page === body ? alone(ctx, body) : new SafeHtml(page))
  const fail = (error: unknown): SafeHtml => {
    ctx.logger.error({ err: error }, 'the layout of a repeated form failed')
    return alone(ctx, body)
  }
  try {
    const title = ctx.i18n.message('repeat.heading') ?? texts.heading
    const values = Object.assign(Object.create(null), { title })
    const request = createRenderRequest(ctx, '')
    const page = renderLayout(ctx.services.views, request, values, body)
    return isPromise(page) ? page.then(finish, fail) : finish(page)
  } catch (error) {
    return fail(error)
  }
}

function alone(ctx: FwContext, body: string): SafeHtml {
  const head = `<meta charset="utf-8"><title>${text(ctx, 'heading')}</title>`
  return new SafeHtml(`${documentStart(ctx)}<head>${head}</head><body>${body}</body></html>`)
}

const documentStart = ({ i18n }: FwContext): string =>
  `<!doctype html><html lang="${escapeXml(i18n.locale)}" dir="${i18n.direction}">`
