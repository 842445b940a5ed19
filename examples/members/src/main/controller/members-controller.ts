/** Lists, shows and creates members. */
import { fileURLToPath } from 'node:url'
import { dateFormat, minLength, numeric, paramKey, ParamType, required, routes } from 'fwjs'
import { currentDatabase } from 'fwjs/db'
import { Member } from '#model/member'
import { ApplicationController } from './application-controller.ts'

const scripts: ReadonlyMap<string, string> = new Map([
  ['htmx.min.js', 'htmx.org/dist/htmx.min.js'],
  ['hx-sse.min.js', 'htmx.org/dist/ext/hx-sse.min.js'],
])

export class MembersController extends ApplicationController {
  static {
    this.protectFromForgery()
  }

  private createForm() {
    return this.validation(
      this.createParams(),
      paramKey('name').is(required, minLength(2)),
      paramKey('birthday').is(required, dateFormat),
      paramKey('countryId').is(numeric),
    )
  }

  private createParams() {
    return this.params.withDate('birthday')
  }

  async index() {
    this.set('members', await Member.findAll())
    return this.render('/members/index')
  }

  newInput() {
    return this.render('/members/new')
  }

  /** Shows a page with htmx, which updates the list when another visitor adds a member. */
  async quick() {
    return this.render('/members/quick', { members: await Member.findAll(), hasScript: true })
  }

  /** Shows the same page without scripts. */
  async plain() {
    return this.render('/members/quick', { members: await Member.findAll(), hasScript: false })
  }

  /** Streams the list to the page with htmx after each change. */
  live() {
    return this.view.live('members', async () =>
      this.renderFragment('/members/_list', { members: await Member.findAll() }),
    )
  }

  /** Serves the script files of htmx from its package. */
  script() {
    const file = scripts.get(this.params.get('name') ?? '') ?? this.halt(404)
    return this.response.sendFile(fileURLToPath(import.meta.resolve(file)))
  }

  async quickCreate() {
    if (!this.createForm().validate())
      return this.renderFragment('/members/_quick_form', { hasScript: true })
    await this.save()
    this.view.addParam('name', '')
    this.view.addParam('birthday', '')
    return this.renderFragment('/members/_quick_form', { hasScript: true })
  }

  async plainCreate() {
    if (!this.createForm().validate()) return this.plain()
    await this.save()
    return this.redirect303(this.url(members.plainUrl))
  }

  async create() {
    if (!this.createForm().validate()) return this.render('/members/new')
    await this.save()
    return this.redirect(this.url(members.indexUrl))
  }

  private async save() {
    await Member.createWithPermittedAttributes(
      this.createParams().permit({
        name: ParamType.String,
        birthday: ParamType.LocalDate,
        countryId: ParamType.optional(ParamType.Long),
      }),
    )
    await currentDatabase().notify('members')
    this.flash.set('notice', this.i18n.get('member.flash.created'))
  }

  async show() {
    const id = this.params.getAs('id', ParamType.Long)
    const member = id === undefined ? undefined : await Member.findById(id)
    return member ? this.render('/members/show', { member }) : this.haltWithBody(404)
  }
}

export const members = routes(MembersController, (r) => ({
  indexUrl: r.get('/members/?', 'index').as('index'),
  newUrl: r.get('/members/new', 'newInput').as('new'),
  createUrl: r.post('/members/?', 'create').as('create'),
  quickUrl: r.get('/members/quick', 'quick'),
  quickCreateUrl: r.post('/members/quick', 'quickCreate'),
  plainUrl: r.get('/members/plain', 'plain'),
  plainCreateUrl: r.post('/members/plain', 'plainCreate'),
  liveUrl: r.get('/members/live', 'live'),
  scriptUrl: r.get('/members/script/:name', 'script'),
  showUrl: r.get('/members/:id', 'show').as('show'),
}))
