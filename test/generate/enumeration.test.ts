/** The forms of generated accounts do the same work for 500 known and 500 unknown addresses, so that none tells which exist. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fw, generate, linkSources, newFolder, removeFolder } from './folder.ts'

/** A test of the generated application. It counts work instead of measuring times. */
const test = `import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import { it } from 'node:test'
import { currentDatabase } from 'fwjs/db'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { createSampleAccount } from '#test/factory/account'

const app = await testApp(Bootstrap)
const count = 500
const headers = { 'sec-fetch-site': 'same-origin' }
const run = (sql: string) => currentDatabase().query({ sql, parameters: [] })

/** What a visitor sees and what the application does for one request. */
async function measure(path: string, form: Record<string, string>) {
  const work = { statements: [] as string[], hashes: 0 }
  const addStatement = (event: unknown) => work.statements.push((event as { sql: string }).sql)
  const addHash = () => (work.hashes += 1)
  diagnostics.subscribe('fw:sql:end', addStatement)
  diagnostics.subscribe('fw:password:end', addHash)
  const { status, location, body } = await app.post(path, { form, headers })
  diagnostics.unsubscribe('fw:sql:end', addStatement)
  diagnostics.unsubscribe('fw:password:end', addHash)
  const page = body.replace(/value="[^"]*"|content="[^"]*"|nonce="[^"]*"/g, '')
  return JSON.stringify({ status, location, page, ...work })
}

for (const { path, form, mails, hashes } of [
  { path: '/login', form: { password: 'wrong password' }, mails: 0, hashes: 1 },
  { path: '/register', form: {}, mails: count, hashes: 0 },
  { path: '/password', form: {}, mails: count, hashes: 0 },
  { path: '/login/link', form: {}, mails: count, hashes: 0 },
])
  it('does the same work for known and unknown addresses: ' + path, async () => {
    await createSampleAccount({ email: '0@known.example' })
    // All accounts have the hash of the first one, because computing one takes long by design.
    await run(\`insert into users (email, password_hash, created_at, updated_at)
      select at || '@known.example', password_hash, created_at, updated_at
      from users, generate_series(1, \${count - 1}) as at\`)
    const enqueued: number[] = []
    const outcomes = new Map<string, number>()
    for (const domain of ['known', 'other']) {
      for (let at = 0; at < count; at++) {
        // Otherwise the limit of a client, 50 requests at once, ends the series.
        if (at % 50 === 0) await run('delete from fw_attempts')
        const outcome = await measure(path, { email: \`\${at}@\${domain}.example\`, ...form })
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
      const { rows } = await run('select count(*)::int as jobs from fw_jobs')
      enqueued.push((rows[0] as { jobs: number }).jobs)
    }
    assert.deepEqual([...outcomes.values()], [2 * count])
    assert.deepEqual(enqueued, [mails, 2 * mails])
    const [outcome] = outcomes.keys()
    const work = JSON.parse(outcome!) as { statements: readonly string[]; hashes: number }
    assert.equal(work.hashes, hashes)
    assert.ok(work.statements.length > 0)
  })
`

let root: string
const file = 'src/test/enumeration.test.ts'
beforeAll(() => {
  root = newFolder()
  linkSources(root)
  generate(root, 'authentication')
  writeFileSync(join(root, file), test)
})
afterAll(() => removeFolder(root))

it('is equal in statements, mails and hashes at login, sign-up, reset and magic link', async () => {
  const { code, said } = await fw(root, 'test', file)
  expect([code, said]).toEqual([0, expect.stringMatching(/pass 4\n[^]*fail 0\b/)])
}, 500_000)
