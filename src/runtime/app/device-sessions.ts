/** The endpoints of device-bound sessions, which browsers call: registration after a login, and refresh of the bound cookie. */
import { microFilter, type FwMicroFilter } from '../controller.ts'
import type { DeviceBinding, Session } from '../session.ts'
import type { ServletContext } from './servlet-context.ts'

// Below the path of the session cookie, so that the requests have it.
const below = (cookiePath: string): string => cookiePath.replace(/\/$/, '')
export const registrationPath = (cookiePath: string): string =>
  `${below(cookiePath)}/device-session/registration`
export const refreshPath = (cookiePath: string): string =>
  `${below(cookiePath)}/device-session/refresh`

export function mountDeviceSessions(ctx: ServletContext, cookiePath: string): void {
  microFilter((r) => ({
    register: r.post(registrationPath(cookiePath), (c) =>
      respond(c, (binding, session, header) =>
        binding.register(session, header('secure-session-response')),
      ),
    ),
    refresh: r.post(refreshPath(cookiePath), (c) =>
      respond(c, (binding, session, header) =>
        binding.refresh(session, {
          id: header('sec-secure-session-id'),
          response: header('secure-session-response'),
        }),
      ),
    ),
  }))
    .describe({ hidden: true })
    .mount(ctx)
}

type Answer = (
  binding: DeviceBinding,
  session: Session,
  header: (name: string) => string | undefined,
) => ReturnType<DeviceBinding['register']>

/** Reads the session without its bound cookie, which may have expired, and stores what `answer` changes. */
async function respond({ ctx, response }: FwMicroFilter, answer: Answer): Promise<unknown> {
  const { sessions } = ctx.services
  const { http } = ctx.request
  const session = await sessions.load(http.header('cookie'))
  ctx.request.usesCredentials = true
  if (session === undefined) return 400
  const { status, body, challenge, cookie } = answer(sessions.deviceBinding!, session, (name) =>
    http.header(name),
  )
  await session.commit()
  if (challenge !== undefined) response.headers.set('Secure-Session-Challenge', challenge)
  if (cookie !== undefined) ctx.cookies.set(cookie.name, cookie.value, cookie.options)
  response.status = status
  return body ?? ''
}
