/** Logs users in and out. */
import { mix, paramKey, ParamType, rateLimit, required, routes } from 'fwjs'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { findByPassword } from '#model/password'
import type { User } from '#model/user'
import { ApplicationController } from './application-controller.ts'

const limiter = new RateLimiterMemory({ points: 20, duration: 60 })

export class SessionsController extends mix(
  ApplicationController,
  rateLimit({ limiter, only: ['create'] }),
) {
  private createForm() {
    return this.validation(
      this.params,
      { email: ParamType.String, password: ParamType.String },
      paramKey('email').is(required),
      paramKey('password').is(required),
    ).withPrefix('user')
  }

  newInput() {
    return this.render('/sessions/new')
  }

  async create() {
    const form = this.createForm()
    if (!form.validate()) return this.render('/sessions/new')
    const user = await findByPassword(form.permitted.email, form.permitted.password)
    if (user === undefined) {
      this.status = 401
      this.flash.now.set('alert', this.i18n.get('session.refused'))
      return this.render('/sessions/new')
    }
    beginSession(this, user)
    const next = this.params.get('next') ?? ''
    return this.redirectAfterLogin(
      /^\/[^/\\]/.test(next) ? next : this.url(this.routes.desk.indexUrl),
    )
  }

  /** Ends the session of a user. A session without a user may keep a form that another tab has sent. */
  destroy() {
    if (this.user !== undefined) this.session.endSession()
    return this.redirect303(this.url(this.routes.articles.indexUrl))
  }
}

/** Begins the session of a user who has just logged in or registered. */
export function beginSession({ session }: ApplicationController, user: User): void {
  session.renewSession()
  session.set('userId', user.id)
  session.sessionBelongsTo(`user:${user.id}`)
}

export const sessions = routes(SessionsController, (r) => ({
  newUrl: r.get('/login', 'newInput').as('new'),
  createUrl: r.post('/login', 'create').as('create'),
  destroyUrl: r.post('/logout', 'destroy').as('destroy'),
}))
