/** AdonisJS with Lucid, Edge, sessions in the database and shield: `bin/server.ts` of its starter kit, built. */
import { Ignitor } from '@adonisjs/core'
import { announce } from '../../listen.js'

const root = new URL('../', import.meta.url)
const importer = (path) => (path.startsWith('.') ? import(new URL(path, root).href) : import(path))

let server
await new Ignitor(root, { importer })
  .tap((app) => {
    app.ready(async () =>
      announce((await app.container.make('server')).getNodeServer().address().port),
    )
    app.listen('SIGTERM', () => app.terminate())
  })
  .httpServer()
  .start()
