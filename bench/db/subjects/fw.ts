/** Fw with controllers, models and a view; updates in the request's transaction. */
import { join } from 'node:path'
import { generateSources } from '../../../src/templates/compile.ts'
import { openDatabase, useDatabase } from '../../../src/runtime/db.ts'
import {
  FwController,
  FwServer,
  mix,
  model,
  ParamType,
  permitValues,
  routes,
  TxPerRequestFilter,
} from '../../../src/index.ts'
import { added, byMessage, randomId, randomIds } from '../tables.ts'

const World = model('world', { id: ParamType.Int, randomNumber: ParamType.Int })
const Fortune = model('fortune', { id: ParamType.Int, message: ParamType.String })

class WorldsController extends FwController {
  async one() {
    return World.findById(randomId())
  }

  async twenty() {
    return Promise.all(randomIds(20).map((id) => World.findById(id)))
  }
}

class UpdatesController extends mix(FwController, TxPerRequestFilter) {
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

class FortunesController extends FwController {
  async index() {
    const fortunes = [...(await Fortune.findAll()), added].sort(byMessage)
    this.view.layout(false)
    return this.render('/fortunes/index' as never, { fortunes } as never)
  }
}

export async function serve(url: string): Promise<number> {
  const root = join(import.meta.dirname, '../app')
  generateSources(root)
  const database = await openDatabase({ kind: 'postgres', url, poolSize: 10 })
  useDatabase(database)
  const server = new FwServer({ root, database })
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
