/** The application of docs/coming-from.md: the code of Fw is checked and tested in a generated application. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { change, fw, generate, linkSources, newFolder, removeFolder } from './generate/folder.ts'

const page = readFileSync(join(import.meta.dirname, '../docs/coming-from.md'), 'utf8')
const frameworks = ['Fw', 'Rails', 'Laravel', 'AdonisJS', 'Express', 'Nest']

/** Returns the files of the application: each block of Fw begins with the path of its file. */
function readFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const [, language, code] of page.matchAll(/^```(ts|ssp) Fw\n([\s\S]*?)^```$/gm)) {
    const [line, path] = /^(?:\/\/|<%--) (\S+)(?: --%>)?\n/.exec(code!)!
    const folder = language === 'ts' ? '' : 'src/main/webapp/WEB-INF/'
    files.set(folder + path!, code!.slice(line.length))
  }
  return files
}

/** Adds a controller to `controllers.ts`, and mounts it. */
function mount(root: string, name: string): void {
  const controllers = 'src/main/controller/controllers.ts'
  change(root, controllers, 'import', `import { ${name} } from './${name}-controller.ts'\nimport`)
  change(root, controllers, 'controllers = {', `controllers = {\n  ${name},`)
  const line = 'controllers.root.mount(ctx)'
  change(root, 'src/main/bootstrap.ts', line, `${line}\n    controllers.${name}.mount(ctx)`)
}

it('the application of the page passes its check and its tests', { timeout: 600_000 }, async () => {
  const root = newFolder()
  onTestFinished(() => removeFolder(root))
  linkSources(root)
  generate(root, 'model article title:String body:String:text words:Int?')
  for (const line of page.matchAll(/`\.\/fw g ((?:job|mailer) [^`]*)`/g)) generate(root, line[1]!)
  for (const [path, text] of readFiles()) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const name of ['articles', 'drafts', 'visits']) mount(root, name)
  expect(await fw(root, 'check')).toEqual({ code: 0, said: expect.any(String) })
  const tested = await fw(root, 'test', 'src/test/controller/drafts.test.ts')
  expect(tested).toEqual({ code: 0, said: expect.any(String) })
})

it('each section has the code of every framework', () => {
  const sections = page.split(/^## /m).filter((section) => section.includes('```'))
  expect(sections).toHaveLength(9)
  for (const section of sections) {
    const titles = [...section.matchAll(/^```\w+ (\w+)$/gm)].map(([, title]) => title)
    expect([...new Set(titles)]).toEqual(frameworks)
  }
})
