/** Ten controllers over the base class of the subject. */
import { FwServer, routes, type FwController } from 'fwjs'
import type { Database } from 'fwjs/db'
import { formFields, greeting, others } from './scenarios.ts'

export async function serveFw(
  Base: typeof FwController,
  database: Database | false = false,
): Promise<number> {
  class HomeController extends Base {
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

  class UsersController extends Base {
    index(): string {
      return 'users'
    }

    show(): string {
      return `${this.params.get('id')} ${this.params.get('q')}`
    }

    /** What a visitor's POST sends: the token, in a header. */
    token(): string {
      return String(this.view.get('csrfToken'))
    }

    answerForm(): string {
      return formFields.map((name) => this.params.get(name)).join()
    }
  }

  class AreaController extends Base {
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
    token: r.get('/token', 'token'),
    form: r.post('/form', 'answerForm'),
  }))

  const server = new FwServer({ root: import.meta.dirname, database })
  for (const one of [home, users, ...others.map(area)]) server.mount(one)
  return (await server.listen(0)).port
}
