/** Nest 12 on Fastify. Decorators are called as functions, because Node only strips types. */
// oxlint-disable-next-line import/no-unassigned-import -- Nest requires it
import 'reflect-metadata'
import { Body, Controller, Get, HttpCode, Module, Param, Post, Query } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { formFields, greeting, others } from '../scenarios.ts'

type Fields = Readonly<Record<string, string>>
type Class = new () => object

function decorate(made: Class, name: string, ...decorators: readonly MethodDecorator[]): void {
  const descriptor = Object.getOwnPropertyDescriptor(made.prototype, name)!
  for (const one of decorators) one(made.prototype as object, name, descriptor)
}

function parameter(made: Class, name: string, at: number, decorator: ParameterDecorator): void {
  decorator(made.prototype as object, name, at)
}

class Home {
  plaintext(): string {
    return greeting
  }
  json(): object {
    return { message: greeting }
  }
  echo(body: unknown): unknown {
    return body
  }
}
Controller()(Home)
decorate(Home, 'plaintext', Get('plaintext'))
decorate(Home, 'json', Get('json'))
decorate(Home, 'echo', Post('json'), HttpCode(200))
parameter(Home, 'echo', 0, Body())

class Users {
  index(): string {
    return 'users'
  }
  show(id: string, q: string): string {
    return `${id} ${q}`
  }
  form(fields: Fields): string {
    return formFields.map((name) => fields[name]).join()
  }
}
Controller()(Users)
decorate(Users, 'index', Get('users'))
decorate(Users, 'show', Get('users/:id'))
parameter(Users, 'show', 0, Param('id'))
parameter(Users, 'show', 1, Query('q'))
decorate(Users, 'form', Post('form'), HttpCode(200))
parameter(Users, 'form', 0, Body())

function area(path: string): Class {
  class Area {
    index(): string {
      return path
    }
    show(id: string): string {
      return id
    }
    create(): string {
      return path
    }
  }
  Controller(path)(Area)
  decorate(Area, 'index', Get())
  decorate(Area, 'show', Get(':id'))
  parameter(Area, 'show', 0, Param('id'))
  decorate(Area, 'create', Post())
  return Area
}

class Application {}
Module({ controllers: [Home, Users, ...others.map(area)] })(Application)

export async function serve(): Promise<number> {
  const app = await NestFactory.create<NestFastifyApplication>(Application, new FastifyAdapter(), {
    logger: false,
  })
  await app.listen(0, '127.0.0.1')
  return (app.getHttpServer().address() as { port: number }).port
}
