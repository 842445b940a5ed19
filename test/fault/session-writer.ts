/**
 * Writes to one session continuously until the process is killed. The arguments are the database URL and the session
 * id.
 */
import { openDatabase } from '../../src/runtime/db.ts'
import { DatabaseStore, Session } from '../../src/runtime/session.ts'

const [url = '', id = ''] = process.argv.slice(2)
const store = new DatabaseStore(await openDatabase({ kind: 'postgres', url, poolSize: 2 }))
process.stdout.write('ready\n')
for (let round = 0; ; round++) {
  const session = await Session.load(store, id)
  session.set('left', round)
  session.set('right', round)
  await session.commit()
  const fresh = new Session(store)
  fresh.set('left', round)
  await fresh.commit()
}
