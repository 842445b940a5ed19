/** `fwjs/client` in a browser: its bundle imports nothing. */
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'

async function bundle(input: string) {
  const build = await rolldown({ input, platform: 'browser', external: /^node:/ })
  try {
    const { output } = await build.generate({ format: 'es' })
    return output[0]
  } finally {
    await build.close()
  }
}

test('the bundle has only the code of the client, and no imports', async () => {
  const client = join(import.meta.dirname, '../../src/client.ts')
  const { imports, dynamicImports, moduleIds, code } = await bundle(client)
  expect([imports, dynamicImports]).toEqual([[], []])
  expect(moduleIds.filter((id) => !/\/src\/(?:client\.ts$|runtime\/client[./])/.test(id))).toEqual(
    [],
  )
  expect(code).not.toMatch(/\b(?:process|Buffer|require)\b/)
})

test('the bundle of a generated client omits the routes that a page does not call', async () => {
  const page = '\0page'
  const api = join(import.meta.dirname, 'application/api.ts')
  const build = await rolldown({
    input: page,
    platform: 'browser',
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === page ? page : undefined),
        load: (id) =>
          id === page ? `export { articlesIndex } from ${JSON.stringify(api)}` : undefined,
      },
    ],
  })
  const { output } = await build.generate({ format: 'es' })
  await build.close()
  expect(output[0].code).toContain('/articles')
  expect(output[0].code).not.toMatch(/counts|stats|FormData/)
})
