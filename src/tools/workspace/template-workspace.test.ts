/** TemplateWorkspace: modules are files if their templates are saved, and documents otherwise. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { projectPaths } from '../../runtime/view.ts'
import { TextLines } from './text-lines.ts'
import { TemplateWorkspace } from './template-workspace.ts'

const page = 'views/page.html.ssp'

let root: string
let shown: Map<string, string | undefined>
let changes: string[]
let workspace: TemplateWorkspace

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'fw-workspace-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'src/main/webapp/WEB-INF/views'), { recursive: true })
  mkdirSync(join(root, 'src/main/resources'), { recursive: true })
  writeFileSync(join(root, 'src/main/webapp/WEB-INF', page), '<p>${1}</p>\n')
  shown = new Map()
  changes = []
  const short = (path: string): string => path.slice(root.length + '/.fw/'.length)
  workspace = new TemplateWorkspace(projectPaths({ root }), 'utf-16', {
    show: (path, code) => void shown.set(short(path), code),
    changed: (path) => void changes.push(short(path)),
  })
})

const load = () => workspace.load(async () => {})
const modulePath = () => join(root, '.fw', `${page}.ts`)

test('the module of a saved template is a file, which is written once', async () => {
  await load()
  expect(readFileSync(modulePath(), 'utf8')).toContain('//# sourceMappingURL=')
  expect(changes).toContain(`${page}.ts`)
  expect(shown.get(`${page}.ts`)).toBeUndefined()
  changes.length = 0
  workspace.changedOnDisk([page])
  expect(changes).toEqual([])
})

test('the module of an edited template is a document until the template is closed', async () => {
  await load()
  workspace.setOpen(page, new TextLines('<p>${2}</p>\n', 'utf-16'))
  expect(workspace.takeAffected()).toEqual([page])
  expect(shown.get(`${page}.ts`)).toContain('(2)')
  expect(readFileSync(modulePath(), 'utf8')).toContain('(1)')
  workspace.close(page)
  expect(shown.get(`${page}.ts`)).toBeUndefined()
})

test('a module that another process has written is reported as changed', async () => {
  await load()
  writeFileSync(join(root, 'src/main/webapp/WEB-INF', page), '<p>${2}</p>\n')
  const other = new TemplateWorkspace(workspace.paths, 'utf-16', { show() {}, changed() {} })
  await other.load(async () => {})
  changes.length = 0
  workspace.changedOnDisk([page])
  expect(changes).toEqual([`${page}.ts`])
})

test('a module that cannot be written is a document', async () => {
  writeFileSync(join(root, '.fw'), 'a file in place of the folder')
  await load()
  expect(shown.get(`${page}.ts`)).toContain('(1)')
  expect(workspace.states.get(page)?.error).toBeUndefined()
})

test('the module of a deleted template is deleted', async () => {
  await load()
  changes.length = 0
  rmSync(join(root, 'src/main/webapp/WEB-INF', page))
  expect(workspace.changedOnDisk([page])).toEqual([page])
  expect(changes).toContain(`${page}.ts`)
  expect(workspace.states.has(page)).toBe(false)
})

test('a template that is deleted while the templates are read has no state', async () => {
  const other = 'views/other.html.ssp'
  writeFileSync(join(root, 'src/main/webapp/WEB-INF', other), '<p>${</p>\n')
  let read = 0
  await workspace.load(async () => {
    if (++read < 2) return
    rmSync(join(root, 'src/main/webapp/WEB-INF', other))
    workspace.changedOnDisk([other])
  })
  expect([...workspace.states.keys()]).toEqual([page])
})
