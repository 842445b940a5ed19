/** FileWatcher: reports each burst once, for every way of saving a file. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FileWatcher, type WatchOptions } from './file-watcher.ts'

function watched(options?: WatchOptions) {
  const root = mkdtempSync(join(tmpdir(), 'fw-changes-'))
  mkdirSync(join(root, 'deep/er'), { recursive: true })
  writeFileSync(join(root, 'deep/er/a.ts'), '')
  let changed = Promise.withResolvers<readonly string[]>()
  const changes = new FileWatcher(
    [root, join(root, 'missing')],
    (paths) => changed.resolve(paths),
    options,
  )
  onTestFinished(() => {
    changes.close()
    rmSync(root, { recursive: true, force: true })
  })
  const next = async () => {
    const paths = await changed.promise
    changed = Promise.withResolvers()
    return paths.map((path) => path.slice(root.length + 1))
  }
  return { root, next }
}

test('a file that a rename replaces is reported each time', async () => {
  const { root, next } = watched()
  for (const text of ['one', 'two', 'three']) {
    writeFileSync(join(root, 'deep/er/a.ts~'), text)
    renameSync(join(root, 'deep/er/a.ts~'), join(root, 'deep/er/a.ts'))
    expect(await next()).toContain('deep/er/a.ts')
  }
})

test('a new folder is watched, and its files are reported', async () => {
  const { root, next } = watched({ filter: (path) => path.endsWith('.ts') })
  mkdirSync(join(root, 'new/folder'), { recursive: true })
  writeFileSync(join(root, 'new/folder/b.ts'), '')
  expect(await next()).toEqual(['new/folder/b.ts'])
  writeFileSync(join(root, 'new/folder/b.ts'), 'again')
  expect(await next()).toEqual(['new/folder/b.ts'])
})

test('a folder that is deleted and created again is watched again, with its subfolders', async () => {
  const { root, next } = watched({ filter: (path) => path.endsWith('.ts') })
  rmSync(join(root, 'deep'), { recursive: true })
  expect(await next()).toContain('deep/er/a.ts')
  mkdirSync(join(root, 'deep/er'), { recursive: true })
  writeFileSync(join(root, 'deep/er/b.ts'), 'first')
  expect(await next()).toEqual(['deep/er/b.ts'])
  writeFileSync(join(root, 'deep/er/b.ts'), 'again')
  expect(await next()).toEqual(['deep/er/b.ts'])
})

test('filtered paths are not reported; onFirstChange is called before the burst ends', async () => {
  const signs: string[] = []
  const { root, next } = watched({
    filter: (path) => path.endsWith('.ts'),
    onFirstChange: () => signs.push('noticed'),
  })
  writeFileSync(join(root, 'deep/er/x.txt'), '')
  for (const name of ['a', 'b', 'c']) writeFileSync(join(root, `deep/er/${name}.ts`), name)
  expect([...(await next())].sort()).toEqual(['deep/er/a.ts', 'deep/er/b.ts', 'deep/er/c.ts'])
  expect(signs).toEqual(['noticed'])
})

test('new links and ignored folders are not watched; a link into its own folder is a change', async () => {
  const { root, next } = watched({ filter: (path) => /loop$|\.ts$/.test(path) })
  const elsewhere = watched().root
  symlinkSync('loop', join(root, 'loop'))
  symlinkSync(elsewhere, join(root, 'linked'))
  mkdirSync(join(root, 'deep/node_modules/one'), { recursive: true })
  writeFileSync(join(root, 'deep/node_modules/one/a.ts'), '')
  writeFileSync(join(root, 'deep/er/a.ts'), 'one')
  expect(await next()).toEqual(['loop', 'deep/er/a.ts'])
})

test('an unending burst is reported after a second', async () => {
  const { root, next } = watched()
  const writing = setInterval(() => writeFileSync(join(root, 'deep/er/a.ts'), ''), 5)
  onTestFinished(() => clearInterval(writing))
  expect(await next()).toEqual(['deep/er/a.ts'])
})
