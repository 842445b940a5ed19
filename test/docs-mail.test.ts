/** The application of docs/mail.md: a generated application with the files of the page is checked and tested. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { change, fw, generate, linkSources, newFolder, removeFolder } from './generate/folder.ts'

const page = readFileSync(join(import.meta.dirname, '../docs/mail.md'), 'utf8')

/** Returns the files of the page: each block begins with the path of its file. */
function readFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const [, language, code] of page.matchAll(/^```(ts|ssp|yaml)\n([\s\S]*?)^```$/gm)) {
    const [line, path] = /^(?:\/\/|<%--|#) (\S+)(?: --%>)?\n/.exec(code!)!
    const folder = { ts: '', ssp: 'src/main/webapp/WEB-INF/', yaml: 'src/main/resources/' }[
      language as 'ts' | 'ssp' | 'yaml'
    ]
    files.set(folder + path!, code!.slice(line.length))
  }
  return files
}

it('the application of the page passes its check and its tests', { timeout: 600_000 }, async () => {
  const root = newFolder()
  onTestFinished(() => removeFolder(root))
  linkSources(root)
  generate(root, 'model user name:String email:Email')
  generate(root, /^\.\/fw g (mailer .*)$/m.exec(page)![1]!)
  for (const [path, text] of readFiles()) {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    // The page shows only the added lines of settings and messages.
    writeFileSync(file, path.endsWith('.yml') ? mergeYaml(readFileSync(file, 'utf8'), text) : text)
  }
  const controllers = 'src/main/controller/controllers.ts'
  change(
    root,
    controllers,
    'export const controllers = {',
    'export const controllers = {\n  users,',
  )
  change(root, controllers, 'import', "import { users } from './users-controller.ts'\nimport")
  change(
    root,
    'src/main/bootstrap.ts',
    'controllers.root.mount(ctx)',
    'controllers.root.mount(ctx)\n    controllers.users.mount(ctx)',
  )
  const checked = await fw(root, 'check')
  expect(checked).toMatchObject({ code: 0 })
  expect(await fw(root, 'test', 'src/test/mail/welcome-mail.test.ts')).toMatchObject({ code: 0 })
})

/** Adds sections to a file; those that it already has replace the old ones. */
function mergeYaml(before: string, added: string): string {
  const names = [...added.matchAll(/^(\w+):/gm)].map(([, name]) => name!)
  const kept = names.reduce(
    (text, name) => text.replace(new RegExp(`^${name}:.*\\n(?:[ \\t].*\\n)*`, 'm'), ''),
    before,
  )
  return `${kept.trimEnd()}\n${added}`
}
