import { findPage, Member } from './member.js'

export default class ApiController {
  async index({ request, response }) {
    const members = await findPage(request.input('page', 1), request.input('q'))
    response.header('X-Total-Count', members.total)
    return members.serialize().data
  }

  show({ params }) {
    return Member.findOrFail(params.id)
  }
}
