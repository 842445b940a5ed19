/** Message keys as types: what the generated file makes the compiler refuse. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { MessageCatalog } from './catalog.ts'
import { generateMessageKeys } from './message-keys.ts'

const catalog = MessageCatalog.from({
  '': {
    hello: 'Hello {0}, {1, number}, {2, date}',
    items: '{count, plural, one {# of {name}} other {# of {name}}}',
    'a"b': 'x',
    broken: '{0',
  },
})

const program = `
import { I18n, MessageCatalog } from 'fwjs'
const i18n = new I18n(MessageCatalog.from({}))
const text: string = i18n.get('hello', 'Ann', 1, new Date())
i18n.get('items', { count: 1, name: 'x' })
i18n.get('submit')
i18n.getOrKey(text)
i18n.message(text)
// @ts-expect-error unknown key
i18n.get('helo')
// @ts-expect-error a key made up at run time
i18n.get(text)
// @ts-expect-error missing arguments
i18n.get('hello')
// @ts-expect-error not a number
i18n.get('hello', 'Ann', 'x', new Date())
// @ts-expect-error unknown name
i18n.get('items', { cuont: 1, name: 'x' })
// @ts-expect-error takes none
i18n.get('submit', 1)
`

test('the text of the keys', () => {
  const text = generateMessageKeys(catalog)
  expect(text).toContain('"hello": [MessageValue, MessageNumber, MessageDate]\n')
  expect(text).toContain('"items": [{ "count": MessageNumber; "name": MessageValue }]\n')
  expect(text).toContain('"broken": []\n')
  expect(text).toContain('"submit": []\n')
  expect(text).toContain(String.raw`"a\"b": []`)
})

test('known keys and arguments only, once the file is there; any key without it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fw-keys-'))
  const paths = {
    fwjs: [resolve('src/runtime/i18n.ts')],
    'fwjs/compiled': [resolve('src/compiled.ts')],
  }
  const types = resolve('node_modules/@types')
  const options = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'esnext',
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    typeRoots: [types],
    types: ['node'],
    paths,
  }
  const compile = async (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const config = { compilerOptions: options, files: Object.keys(files) }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const tsc = resolve('node_modules/typescript/bin/tsc')
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch(
      (error: unknown) => error as { stdout: string },
    )
    return stdout
  }
  try {
    expect(await compile({ 'main.ts': program, 'messages.ts': generateMessageKeys(catalog) })).toBe(
      '',
    )
    const loose = `import { I18n, MessageCatalog } from 'fwjs'
const text: string | undefined = new I18n(MessageCatalog.from({})).get('any', 1)
void text
`
    expect(await compile({ 'loose.ts': loose })).toBe('')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
