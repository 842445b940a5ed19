/** `fw generate` stores the parsed files of messages and settings at its end, for the next start. */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize } from 'node:v8'
import { expect, onTestFinished, test } from 'vitest'
import { fw, linkSources, newFolder, removeFolder } from './folder.ts'

test('fw generate stores the parsed messages, so that the next start needs no YAML parser', async () => {
  const root = newFolder()
  onTestFinished(() => removeFolder(root))
  linkSources(root)
  expect(await fw(root, 'g', 'scaffold', 'notes', 'note', 'text:String')).toMatchObject({ code: 0 })
  const parsed = deserialize(readFileSync(join(root, '.fw/key-files.bin'))) as ReadonlyMap<
    string,
    { readonly hash: string }
  >
  const file = 'src/main/resources/messages.yml'
  const hash = createHash('sha256')
    .update(readFileSync(join(root, file)))
    .digest('base64')
  expect(parsed.get(file)).toMatchObject({ hash })
})

test('fw generate ends although it cannot store a file of the application, which is not UTF-8', async () => {
  const root = newFolder()
  onTestFinished(() => removeFolder(root))
  linkSources(root)
  writeFileSync(join(root, 'src/main/resources/countries.yml'), Buffer.from('a: \xe4', 'latin1'))
  expect(await fw(root, 'g', 'model', 'note', 'text:String')).toMatchObject({ code: 0 })
})
