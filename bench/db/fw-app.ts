/** Fw with controllers, models and a view, over the base class of the subject. */
import { join } from 'node:path'
import { FwServer, model, ParamType, permitValues, routes, type FwController } from 'fwjs'
import { openDatabase, useDatabase } from 'fwjs/db'
import { added, byMessage, randomId, randomIds } from './tables.ts'

const World = model('world', { id: ParamType.Int, randomNumber: ParamType.Int })
const Fortune = model('fortune', { id: ParamType.Int, message: ParamType.String })

type Bases = { readonly reads: typeof FwController; readonly writes: typeof FwController }

/** `writes` is the base of the controller whose updates are one transaction. */
export async function serveFw(url: string, { reads, writes }: Bases): Promise<number> {
  class WorldsController extends reads {
    async one() {
      return World.findById(randomId())
    }

    async twenty() {
      return Promise.all(randomIds(20).map((id) => World.findById(id)))
    }
  }

  class UpdatesController extends writes {
    async update() {
      const worlds = await Promise.all(randomIds(20).map((id) => World.findById(id)))
      return Promise.all(
        worlds.map(async (world) => {
          const permitted = permitValues({ randomNumber: randomId() }, 'randomNumber')
          await World.updateById(world!.id).withPermittedAttributes(permitted)
          return { id: world!.id, randomNumber: permitted.randomNumber }
        }),
      )
    }
  }

  class FortunesController extends reads {
    async index() {
      const fortunes = [...(await Fortune.findAll()), added].sort(byMessage)
      this.view.layout(false)
      return this.render('/fortunes/index' as never, { fortunes } as never)
    }
  }

  const database = await openDatabase({ kind: 'postgres', url, poolSize: 10 })
  useDatabase(database)
  const server = new FwServer({ root: join(import.meta.dirname, 'app'), database })
  server.mount(
    routes(WorldsController, (r) => ({
      one: r.get('/db', 'one'),
      twenty: r.get('/queries', 'twenty'),
    })),
  )
  server.mount(routes(UpdatesController, (r) => ({ update: r.get('/updates', 'update') })))
  server.mount(routes(FortunesController, (r) => ({ index: r.get('/fortunes', 'index') })))
  return (await server.listen(0)).port
}
