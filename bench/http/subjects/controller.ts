/** The framework layer: ten `FwController`s, each with one filter before and one after its actions. */
import { FwController, FwServer, routes } from '../../../src/index.ts'
import { formFields, greeting, others } from '../scenarios.ts'

abstract class ApplicationController extends FwController {
  static {
    this.before((c) => c.set('started', true))
    this.after((c) => c.set('status', c.status))
  }
}

class HomeController extends ApplicationController {
  plaintext(): string {
    return greeting
  }

  json(): object {
    return { message: greeting }
  }

  echo(): Promise<unknown> {
    return this.request.json()
  }
}

class UsersController extends ApplicationController {
  index(): string {
    return 'users'
  }

  show(): string {
    return `${this.params.get('id')} ${this.params.get('q')}`
  }

  answerForm(): string {
    return formFields.map((name) => this.params.get(name)).join()
  }
}

class AreaController extends ApplicationController {
  index(): string {
    return 'areas'
  }

  show(): string {
    return this.params.get('id') ?? ''
  }

  create(): string {
    return 'created'
  }
}

const area = (path: string) => {
  class Area extends AreaController {}
  return routes(Area, (r) => ({
    index: r.get(path, 'index'),
    show: r.get(`${path}/:id`, 'show'),
    create: r.post(path, 'create'),
  }))
}

const home = routes(HomeController, (r) => ({
  plaintext: r.get('/plaintext', 'plaintext'),
  json: r.get('/json', 'json'),
  echo: r.post('/json', 'echo'),
}))

const users = routes(UsersController, (r) => ({
  index: r.get('/users', 'index'),
  show: r.get('/users/:id', 'show'),
  form: r.post('/form', 'answerForm'),
}))

export async function serve(): Promise<number> {
  const server = new FwServer({ root: import.meta.dirname, database: false })
  for (const one of [home, users, ...others.map(area)]) server.mount(one)
  return (await server.listen(0)).port
}
