/** Lists, shows and creates members. */
import { dateFormat, minLength, numeric, paramKey, ParamType, required, routes } from 'fwjs'
import { Member } from '#model/member'
import { ApplicationController } from './application-controller.ts'

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

  async create() {
    if (!this.createForm().validate()) return this.render('/members/new')
    await Member.createWithPermittedAttributes(
      this.createParams().permit({
        name: ParamType.String,
        birthday: ParamType.LocalDate,
        countryId: ParamType.optional(ParamType.Long),
      }),
    )
    this.flash.set('notice', this.i18n.get('member.flash.created'))
    return this.redirect(this.url(members.indexUrl))
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
  showUrl: r.get('/members/:id', 'show').as('show'),
}))
