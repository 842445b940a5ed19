import { BaseModel, column } from '@adonisjs/lucid/orm'

/** A row of `members`. Decorators are called as functions: a build would compile their syntax to this. */
export class Member extends BaseModel {}
column({ isPrimary: true, consume: Number })(Member.prototype, 'id')
column()(Member.prototype, 'name')
column.date()(Member.prototype, 'birthday')
column.dateTime({ autoCreate: true })(Member.prototype, 'createdAt')
column.dateTime({ autoCreate: true, autoUpdate: true })(Member.prototype, 'updatedAt')

export const findPage = (page, search) =>
  Member.query()
    .if(search, (query) => query.whereILike('name', `%${search}%`))
    .orderBy('id')
    .paginate(page, 20)
