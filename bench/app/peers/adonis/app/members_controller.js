import vine, { SimpleMessagesProvider } from '@vinejs/vine'
import { DateTime } from 'luxon'
import { findPage, Member } from './member.js'

const createMember = vine.create({
  name: vine.string().trim().maxLength(512),
  birthday: vine.date(),
})
createMember.messagesProvider = new SimpleMessagesProvider({
  'name.required': 'Name is required',
  'name.maxLength': 'Name is longer than 512 characters',
  'birthday.required': 'Birthday must be a date value',
  'birthday.date': 'Birthday must be a date value',
})

export default class MembersController {
  async index({ request, view }) {
    const search = request.input('q', '')
    const members = await findPage(request.input('page', 1), search)
    return view.render('pages/list', { members, search })
  }

  create({ view }) {
    return view.render('pages/form', { values: {}, errors: {} })
  }

  async show({ params, view }) {
    return view.render('pages/show', { member: await Member.findOrFail(params.id) })
  }

  /** Renders an invalid form at once, which costs less than the redirect back to it of the starter kit. */
  async store({ request, response, session, view }) {
    const [error, values] = await request.tryValidateUsing(createMember)
    if (error) {
      const errors = Object.fromEntries(
        error.messages.map(({ field, message }) => [field, message]),
      )
      response.status(400)
      return view.render('pages/form', { values: request.all(), errors })
    }
    const member = await Member.create({
      name: values.name,
      birthday: DateTime.fromJSDate(values.birthday),
    })
    session.flash('notice', 'The member was created.')
    return response.redirect().toPath(`/members/${member.id}`)
  }
}
