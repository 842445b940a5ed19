/** The login example of docs/security.md. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Mountable } from '../src/runtime/app.ts'
import { csrfKey, ForgeryToken } from '../src/runtime/session.ts'
import { FwController, routes } from '../src/runtime/controller.ts'
import { serve } from './support/serve.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'node_modules/.docs')

/** The compiler's messages for the file. */
function compiled(file: string): string {
  const config = join(folder, 'tsconfig.json')
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, 'test/support/tsconfig.app.json'),
      include: [],
      files: [file],
    }),
  )
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, '--project', config], { encoding: 'utf8' })
  return stdout
    .split('\n')
    .filter((line) => line.includes('login-'))
    .join('\n')
}

it('logs in with a new session id, logs out, and logs out of every session', async () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/security.md'), 'utf8')
  const code = /```ts login\n([^]*?)```/.exec(page)![1]!
  mkdirSync(folder, { recursive: true })
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, `login-${process.pid}.ts`)
  writeFileSync(file, code)
  expect(compiled(file)).toBe('')
  const { login } = (await import(file)) as { login: Mountable }
  class Token extends FwController {}
  const token = routes(Token, (r) => ({
    token: r.get('/token', (c) => new ForgeryToken(c.session).mask()),
  }))
  const app = await serve([login, token])
  const enter = async (password: string) => {
    const visitor = app.visitor()
    const form = { [csrfKey]: (await visitor.get('/token')).body, name: 'ann', password }
    return { visitor, answer: await visitor.post('/login', { form }) }
  }
  expect((await app.get('/dashboard')).status).toBe(401)
  expect((await enter('wrong')).answer.status).toBe(401)
  const [one, two] = [await enter('correct horse'), await enter('correct horse')]
  expect(one.answer.location).toBe('/dashboard')
  expect((await one.visitor.get('/dashboard')).body).toBe('user 7')
  const again = { [csrfKey]: (await one.visitor.get('/token')).body }
  expect((await one.visitor.post('/logout/everywhere', { form: again })).status).toBe(303)
  for (const { visitor } of [one, two]) expect((await visitor.get('/dashboard')).status).toBe(401)
})
