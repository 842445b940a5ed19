import { openDatabase } from '/tmp/rv/src/runtime/db.ts'
const db = await openDatabase({ kind: 'postgres', url: 'postgres://root@10.255.255.1:5432,127.0.0.1:5432/review_db2' , acquireTimeout: 3000})
const t=Date.now(); for (let i=0;i<4;i++) { await db.query({ sql: 'select 1', parameters: [] }).then(()=>console.log('ok',Date.now()-t), (e) => console.log(Date.now()-t, e.message)) } process.exit()
