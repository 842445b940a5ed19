/** Generated tests log the user of `src/test/default-user.ts` in, so that they pass where pages and the API need a login. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { change, destroy, fw, generate, linkSources, newFolder, removeFolder } from './folder.ts'

vi.setConfig({ testTimeout: 400_000 })

let root: string
beforeEach(() => {
  root = newFolder()
})
afterEach(() => removeFolder(root))
const file = 'src/test/default-user.ts'
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Lets all generated controllers with pages extend a base that requires a login. */
function requireLogins(): void {
  const folder = join(root, 'src/main/controller')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const open = /^import \{ ApplicationController \} from '(\.+\/)application-controller\.ts'\n/m
  for (const name of names.filter((one) => /(members|notes|parts|about|attachments)-c/.test(one))) {
    const text = readFileSync(join(folder, name), 'utf8')
    expect(text).toMatch(open)
    const closed = `import { ApplicationController as OpenController } from '$1application-controller.ts'
import { requireLogin } from '$1require-login.ts'

const ApplicationController = requireLogin(OpenController)
`
    writeFileSync(join(folder, name), text.replace(open, closed))
  }
}

it('logs a user in to pages and an API that were generated before and after accounts', async () => {
  generate(root, 'scaffold members member name:String photo:attachment?')
  generate(root, 'api-resource labels label name:String')
  generate(root, 'controller about')
  generate(root, 'authentication')
  generate(root, 'scaffold notes note title:String member:references')
  generate(root, 'scaffold parts part title:String --parent notes')
  generate(root, 'api-resource tasks task title:String')
  requireLogins()
  linkSources(root)
  const checked = await fw(root, 'check')
  expect([checked.code, checked.said]).toEqual([0, expect.stringContaining(' 0 mistakes')])
  const tested = await fw(root, 'test')
  expect([tested.code, tested.said]).toEqual([0, expect.stringMatching(/fail 0\b/)])
  // Without the default user, the same tests fail.
  writeFileSync(join(root, file), 'export const defaultUser = async () => null\n')
  const refused = await fw(root, 'test', 'src/test/controller/members-controller.test.ts')
  expect(refused.code).not.toBe(0)
})

it('is the file of the application once it has changed it, and is taken back with accounts', () => {
  const before = read(file)
  generate(root, 'authentication')
  expect(read(file)).toContain('createSampleAccount()')
  destroy(root, 'authentication')
  expect(read(file)).toBe(before)
  change(root, file, 'async () => null', 'async () => ({ id: 7 })')
  const changed = read(file)
  generate(root, 'authentication')
  generate(root, 'scaffold members member name:String')
  destroy(root, 'authentication')
  expect(read(file)).toBe(changed)
})
