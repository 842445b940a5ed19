import { openDatabase, seed, migrate } from '/tmp/rv/src/runtime/db.ts'
const url = 'postgres:///review_db2?host=/var/run/postgresql&user=root'
const db = await openDatabase({ kind: 'postgres', url, statementTimeout: 15000 })
console.log(await seed(db, '/tmp/rv/sd')); await db.close()
const p = await openDatabase({ kind: 'postgres', url: url + '&pgbouncer=true' })
console.log('pooled'); await p.query({ sql: "select 1", parameters: [] }); await seed(p, '/tmp/rv/sd'); await p.close()
const one = await openDatabase({ kind: 'postgres', url, poolSize: 1, acquireTimeout: 1500 })
try { console.log((await migrate(one, '/tmp/rv/mg')).length) } catch (e) { console.log('size 1:', e.message) } await one.close()
