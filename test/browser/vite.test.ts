/** An application with `fw g vite`: under `fw run`, the browser applies an edited style sheet without a reload. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findGenerator, openProject, writeFiles } from '../../src/tools/generate.ts'
import { startBrowserAndExample } from '../support/browser-and-example.ts'
import { copyExample } from '../support/example.ts'

const root = copyExample()
writeFiles(root, findGenerator('vite').plan(openProject(root), []).files)
writeFileSync(join(root, 'src/frontend/application.css'), 'main { outline: 1px solid red }\n')
const served = startBrowserAndExample(root)

test('an edited style sheet of the front end appears without a reload, within the policy of the page', async () => {
  const page = await served.browser.newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  await page.goto(`${served.url}/members/new`)
  const outline = async (): Promise<string> =>
    page.locator('main').evaluate((main) => getComputedStyle(main).outlineColor)
  await expect.poll(outline).toBe('rgb(255, 0, 0)')
  await page.evaluate(() => (document.title = 'not reloaded'))
  writeFileSync(join(root, 'src/frontend/application.css'), 'main { outline: 1px solid blue }\n')
  await expect.poll(outline).toBe('rgb(0, 0, 255)')
  expect(await page.title()).toBe('not reloaded')
  expect(problems).toEqual([])
  await page.close()
})
