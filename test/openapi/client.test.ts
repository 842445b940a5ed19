/** The generated client: names that clash with its own types, and the CSRF token per origin. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseSync, Visitor } from 'oxc-parser'
import { expect, onTestFinished, test, vi } from 'vitest'
import { generateClient, type OpenApiDocument } from '../../src/tools/openapi.ts'
import { functionName, typeName } from '../../src/tools/openapi/generate-client.ts'
import { temporaryFolder } from '../support/serve.ts'

const responses = { 200: { description: 'Kept.' } }
const body = { schema: { type: 'object' as const } }
const document: OpenApiDocument = {
  openapi: '3.1.1',
  info: { title: 'Ends */ comments', version: '1\n2' },
  servers: [{ url: '/' }],
  tags: [],
  components: { schemas: {} },
  paths: {
    '/files/{splat}': {
      post: {
        operationId: 'filesSend',
        summary: 'x',
        tags: [],
        security: [],
        parameters: [{ name: 'splat', in: 'path', required: true, schema: { type: 'string' } }],
        requestBody: { content: { 'multipart/form-data': body } },
        responses,
      },
    },
    '/{splat}': {
      delete: {
        operationId: 'filesDestroy',
        summary: 'x',
        tags: [],
        security: [],
        parameters: [{ name: 'splat', in: 'path', required: true, schema: { type: 'string' } }],
        responses,
      },
    },
  },
}

/** The names of all types that a text uses, without type parameters. */
function typesIn(text: string): readonly string[] {
  const { program, errors } = parseSync('client.ts', text)
  expect(errors).toEqual([])
  const names = new Set<string>()
  const parameters = new Set<string>()
  new Visitor({
    TSTypeReference({ typeName: name }) {
      if (name.type === 'Identifier') names.add(name.name)
    },
    TSInterfaceHeritage({ expression }) {
      if (expression.type === 'Identifier') names.add(expression.name)
    },
    TSInterfaceDeclaration: ({ id }) => void names.add(id.name),
    TSTypeAliasDeclaration: ({ id }) => void names.add(id.name),
    TSTypeParameter: ({ name }) => void parameters.add(name.name),
    TSMappedType: ({ key }) => void parameters.add(key.name),
  }).visit(program)
  return [...names].filter((name) => !parameters.has(name)).toSorted()
}

test('no schema type has the name of a type that the client uses', () => {
  const found = typesIn(generateClient(document))
  expect(found).toEqual(expect.arrayContaining(['FormData', 'PageGlobals', 'Record', 'Response']))
  expect(found.filter((name) => typeName(name) === name)).toEqual([])
})

test('no function has the name of a function that the client uses', () => {
  const declared = [
    ...generateClient(document).matchAll(/^(?:export )?(?:async )?(?:const|function) (\w+)/gm),
  ]
  const names = declared.map(([, name]) => name!)
  expect(names).toEqual(expect.arrayContaining(['createClient', 'readBody', 'filesSend']))
  const own = names.filter((name) => !name.startsWith('files'))
  expect(own.filter((name) => functionName(name) === name)).toEqual([])
})

test('a value that would select another path is refused', async () => {
  const { clientFor, filesDestroy } = await client()
  for (const splat of ['', '..', 'a/../b', '/example.com/x', undefined])
    await expect(filesDestroy(clientFor({}), { path: { splat } })).rejects.toThrow('path.splat')
})

test('the name of the application is escaped in the comment', () => {
  expect(generateClient(document)).toMatch(
    /^\/\*\*\n \* A typed client of Ends \*\\\/ comments 1\n \* 2, /,
  )
})

async function client() {
  const file = join(temporaryFolder(), 'api.ts')
  writeFileSync(file, generateClient(document))
  const { createClient, filesSend, filesDestroy } = await import(pathToFileURL(file).href)
  const tokens: (string | null)[] = []
  const send = async (_address: string, { headers }: { readonly headers: Headers }) => {
    tokens.push(headers.get('x-csrf-token'))
    return new Response()
  }
  const clientFor = (options: object) => createClient({ fetch: send, ...options })
  return { tokens, clientFor, filesSend, filesDestroy }
}

test('the token of a page is sent to its own origin only, an explicit token to any origin', async () => {
  vi.stubGlobal('origin', 'https://shop.example')
  vi.stubGlobal('document', {
    baseURI: 'https://shop.example/a/b',
    querySelector: () => ({ getAttribute: () => 'of the page' }),
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  const { tokens, clientFor, filesSend, filesDestroy } = await client()
  const own = ['', '/shop', 'https://shop.example', 'https://SHOP.example:443/shop']
  const others = ['https://example.com', '//example.com', 'http://shop.example']
  for (const baseUrl of [...own, ...others])
    await filesSend(clientFor({ baseUrl }), { path: { splat: 'x' } })
  expect(tokens.splice(0)).toEqual([...own.map(() => 'of the page'), ...others.map(() => null)])
  await filesDestroy(clientFor({ baseUrl: others[0] }), { path: { splat: 'a' } })
  const given = clientFor({ baseUrl: others[0], csrfToken: () => 'given' })
  await filesSend(given, { path: { splat: 'x' } })
  expect(tokens).toEqual([null, 'given'])
})

test('without a page there is no token', async () => {
  const { tokens, clientFor, filesDestroy } = await client()
  await filesDestroy(clientFor({ baseUrl: 'https://shop.example' }), { path: { splat: 'x' } })
  expect(tokens).toEqual([null])
})
