/** DiagnosticsPublisher: what happens after an exception. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { projectPaths } from '../../runtime/view.ts'
import { TemplateWorkspace } from '../workspace.ts'
import { DiagnosticsPublisher } from './diagnostics-publisher.ts'
import { Session } from './session.ts'

test('a document whose check throws is reported and not checked again', async () => {
  const root = mkdtempSync(join(tmpdir(), 'fw-publisher-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const views = join(root, 'src/main/webapp/WEB-INF/views')
  mkdirSync(views, { recursive: true })
  const [wrong, other] = ['a', 'b'].map((name) => join(views, `${name}.html.ssp`))
  for (const path of [wrong!, other!]) writeFileSync(path, '${')
  const listener = { show: () => {}, changed: () => {} }
  const workspace = new TemplateWorkspace(projectPaths({ root }), 'utf-16', listener)
  await workspace.load(async () => {})

  const published: string[] = []
  const errors: unknown[] = []
  const failure = new Error('broken')
  const { promise, resolve } = Promise.withResolvers<void>()
  const publisher = new DiagnosticsPublisher(
    new Session(workspace, undefined, { servesCode: true, warn: () => {} }),
    ({ uri }) => {
      published.push(uri.slice(-'a.html.ssp'.length))
      if (published.length === 1) throw failure
      resolve()
    },
    (error) => errors.push(error),
  )
  onTestFinished(() => publisher.close())
  publisher.check([wrong!, other!])
  await promise
  expect(published).toEqual(['a.html.ssp', 'b.html.ssp'])
  expect(errors).toEqual([failure])
})
