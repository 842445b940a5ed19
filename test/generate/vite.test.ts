/** `fw g vite` and the build of its files by `fw build`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { buildWithVite } from '../../src/tools/cli/vite.ts'
import { findGenerator, openProject } from '../../src/tools/generate.ts'
import {
  change,
  contents,
  destroy,
  fw,
  generate,
  linkSources,
  newFolder,
  planned,
  removeFolder,
} from './folder.ts'

let root: string
beforeEach(() => {
  root = newFolder()
})
afterEach(() => removeFolder(root))

it('writes a configuration and an entry, edits layout, packages and .gitignore, and removes all of it', () => {
  const before = contents(root)
  const written = generate(root, 'vite tailwind').map(({ path, done }) => `${done} ${path}`)
  expect(written).toEqual([
    'created vite.config.ts',
    'created src/frontend/application.ts',
    'created src/frontend/application.css',
    'modified package.json',
    'modified src/main/webapp/WEB-INF/layouts/default.ssp',
    'modified .gitignore',
  ])
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: object
  }
  expect(Object.keys(devDependencies)).toEqual([
    '@tailwindcss/vite',
    '@types/node',
    'tailwindcss',
    'typescript',
    'vite',
  ])
  destroy(root, 'vite tailwind')
  expect(contents(root)).toEqual(before)
})

it('adds lines to a .gitignore without a final line break', () => {
  writeFileSync(join(root, '.gitignore'), 'node_modules')
  generate(root, 'vite')
  const lines = readFileSync(join(root, '.gitignore'), 'utf8').split('\n')
  expect(lines.slice(0, 2)).toEqual(['node_modules', 'src/main/webapp/assets/built/'])
})

it('keeps the built files when Vite is not installed', async () => {
  const folder = join(root, 'src/main/webapp/assets/built')
  mkdirSync(folder)
  await expect(buildWithVite(root)).rejects.toMatchObject({ code: 'cli.vite-failed' })
  expect(existsSync(folder)).toBe(true)
})

it('mentions no layout when it removes the files', () => {
  const layout = join(root, 'src/main/webapp/WEB-INF/layouts/default.ssp')
  writeFileSync(layout, readFileSync(layout, 'utf8').replace('</head>', ''))
  const vite = findGenerator('vite')
  expect(vite.plan(openProject(root), []).notes).toHaveLength(2)
  expect(vite.removal(openProject(root), []).notes).toHaveLength(1)
})

it('refuses other words', () => {
  expect(() => planned(root, 'vite sass')).toThrow('fw g vite (or vite tailwind)')
})

it('is built by fw build into files with a hash, which replace those of the last build', async () => {
  linkSources(root)
  generate(root, 'vite')
  const build = async () => {
    expect(await fw(root, 'build')).toMatchObject({ code: 0 })
    const file = join(root, 'src/main/webapp/assets/.vite/manifest.json')
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<string, { css: string[] }>
    return join(root, 'src/main/webapp/assets', manifest['src/frontend/application.ts']!.css[0]!)
  }
  writeFileSync(join(root, 'src/frontend/application.css'), 'main { color: red }\n')
  const first = await build()
  expect(first).toMatch(/built\/application-[\da-f]{8}\.css$/)
  change(root, 'src/frontend/application.css', 'red', 'blue')
  const second = await build()
  expect(readFileSync(second, 'utf8')).toContain('#00f')
  expect(existsSync(first)).toBe(false)
})

it('fails with the message of Vite when Vite cannot build', async () => {
  linkSources(root)
  generate(root, 'vite')
  change(root, 'src/frontend/application.ts', './application.css', './missing.css')
  const { code, said } = await fw(root, 'build')
  expect({ code, said }).toMatchObject({ code: 1 })
  expect(said).toContain('./missing.css')
  expect(said).toContain('Vite cannot build the front end')
})

it('names npm install when Vite is not installed', async () => {
  generate(root, 'vite')
  await expect(buildWithVite(root)).rejects.toMatchObject({
    code: 'cli.vite-failed',
    message: expect.stringContaining('run npm install') as string,
  })
})
