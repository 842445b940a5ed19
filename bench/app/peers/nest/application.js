/** The module of the application: model, pages, API and error pages. */
import {
  BadRequestException,
  Body,
  Catch,
  Controller,
  Get,
  Injectable,
  Module,
  NotFoundException,
  Param,
  Post,
  Query,
  Render,
  Req,
  Res,
  UseFilters,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common'
import { APP_FILTER } from '@nestjs/core'
import { getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm'
import { IsDateString, IsNotEmpty, MaxLength } from 'class-validator'
import {
  Column,
  CreateDateColumn,
  Entity,
  ILike,
  PrimaryGeneratedColumn,
  Repository,
  UpdateDateColumn,
} from 'typeorm'
import { listValues, pageSize, parseId, parsePage, poolSize } from '../shared.js'
import { decorateField, decorateMethod, decorateParameters, inject } from './decorate.js'

class Member {}
decorateField(Member, 'id', Number, PrimaryGeneratedColumn())
decorateField(Member, 'name', String, Column({ length: 512 }))
decorateField(Member, 'birthday', String, Column({ type: 'date' }))
decorateField(Member, 'created_at', Date, CreateDateColumn({ type: 'timestamptz' }))
decorateField(Member, 'updated_at', Date, UpdateDateColumn({ type: 'timestamptz' }))
Entity('members')(Member)

class CreateMember {}
decorateField(
  CreateMember,
  'name',
  String,
  MaxLength(512, { message: 'Name is longer than 512 characters' }),
  IsNotEmpty({ message: 'Name is required' }),
)
decorateField(
  CreateMember,
  'birthday',
  String,
  IsDateString({ strict: true }, { message: 'Birthday must be a date value' }),
)

class MembersService {
  #repository

  constructor(repository) {
    this.#repository = repository
  }

  /** The list and its number are read on two connections at the same time. */
  async page(page, search = '', select) {
    const where = search === '' ? {} : { name: ILike(`%${search}%`) }
    const skip = (page - 1) * pageSize
    const [items, total] = await Promise.all([
      this.#repository.find({ select, where, order: { id: 'ASC' }, take: pageSize, skip }),
      this.#repository.countBy(where),
    ])
    return { items, total }
  }

  async find(text) {
    const id = parseId(text)
    const member = id === undefined ? null : await this.#repository.findOneBy({ id })
    if (member === null) throw new NotFoundException()
    return member
  }

  async create({ name, birthday }) {
    const { identifiers } = await this.#repository.insert({ name, birthday })
    return identifiers[0].id
  }
}
Injectable()(MembersService)
inject(MembersService, Repository)
Reflect.defineMetadata(
  'self:paramtypes',
  [{ index: 0, param: getRepositoryToken(Member) }],
  MembersService,
)

/** Refuses a form without the token of the session. */
class CsrfGuard {
  canActivate(context) {
    const request = context.switchToHttp().getRequest()
    const reply = context.switchToHttp().getResponse()
    return new Promise((resolve) => {
      request.server.csrfProtection(request, reply, () => resolve(true))
    })
  }
}
Injectable()(CsrfGuard)

function takeNotice({ session }) {
  const { notice } = session
  if (notice !== undefined) session.notice = undefined
  return notice
}

const formValues = (request, reply, values, errors) => ({
  title: 'New member',
  notice: takeNotice(request),
  csrfToken: reply.generateCsrf(),
  values,
  errors,
  isInvalid: errors !== undefined,
})

/** Shows the form again, with the messages of the first failed rule of each field. */
class FormFilter {
  catch(exception, host) {
    const request = host.switchToHttp().getRequest()
    const reply = host.switchToHttp().getResponse()
    const errors = {}
    for (const { property, constraints } of exception.getResponse().message)
      errors[property] = Object.values(constraints)[0]
    return reply.status(400).view('form.hbs', formValues(request, reply, request.body, errors))
  }
}
Catch(BadRequestException)(FormFilter)

class NotFoundFilter {
  catch(_exception, host) {
    const request = host.switchToHttp().getRequest()
    const reply = host.switchToHttp().getResponse().status(404)
    if (request.url.startsWith('/api/')) return reply.send({ error: 'Not found' })
    return reply.view('not-found.hbs', { title: 'Not found' })
  }
}
Catch(NotFoundException)(NotFoundFilter)

const formPipe = new ValidationPipe({
  exceptionFactory: (errors) => new BadRequestException({ message: errors }),
})

class MembersController {
  #members

  constructor(members) {
    this.#members = members
  }

  async index(request, query) {
    const page = parsePage(query.page)
    const search = query.q ?? ''
    const columns = { id: true, name: true, birthday: true }
    const values = listValues(await this.#members.page(page, search, columns), page, search)
    return { ...values, notice: takeNotice(request) }
  }

  new(request, reply) {
    return formValues(request, reply, {}, undefined)
  }

  async show(request, reply, id) {
    const item = await this.#members.find(id)
    const csrfToken = reply.generateCsrf()
    return { title: item.name, item, notice: takeNotice(request), csrfToken }
  }

  async create(request, reply, body) {
    const id = await this.#members.create(body)
    request.session.notice = 'The member was created.'
    return reply.status(302).redirect(`/members/${id}`)
  }
}
Controller('members')(MembersController)
inject(MembersController, MembersService)
decorateMethod(MembersController, 'index', Get(), Render('list.hbs'))
decorateParameters(MembersController, 'index', Req(), Query())
decorateMethod(MembersController, 'new', Get('new'), Render('form.hbs'))
decorateParameters(MembersController, 'new', Req(), Res({ passthrough: true }))
decorateMethod(MembersController, 'show', Get(':id'), Render('show.hbs'))
decorateParameters(MembersController, 'show', Req(), Res({ passthrough: true }), Param('id'))
decorateMethod(MembersController, 'create', Post(), UseGuards(CsrfGuard), UseFilters(FormFilter))
decorateParameters(MembersController, 'create', Req(), Res(), Body(formPipe))
Reflect.defineMetadata(
  'design:paramtypes',
  [Object, Object, CreateMember],
  MembersController.prototype,
  'create',
)

class ApiController {
  #members

  constructor(members) {
    this.#members = members
  }

  async index(reply, query) {
    const { items, total } = await this.#members.page(parsePage(query.page), query.q)
    reply.header('X-Total-Count', total)
    return items
  }

  show(id) {
    return this.#members.find(id)
  }
}
Controller('api/members')(ApiController)
inject(ApiController, MembersService)
decorateMethod(ApiController, 'index', Get())
decorateParameters(ApiController, 'index', Res({ passthrough: true }), Query())
decorateMethod(ApiController, 'show', Get(':id'))
decorateParameters(ApiController, 'show', Param('id'))

class RootController {
  hello() {
    return 'Hello, World!'
  }
}
Controller()(RootController)
decorateMethod(RootController, 'hello', Get('hello'))

export class ApplicationModule {}
Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env.DATABASE_URL,
      poolSize,
      entities: [Member],
      logging: false,
    }),
    TypeOrmModule.forFeature([Member]),
  ],
  controllers: [RootController, MembersController, ApiController],
  providers: [MembersService, { provide: APP_FILTER, useClass: NotFoundFilter }],
})(ApplicationModule)
