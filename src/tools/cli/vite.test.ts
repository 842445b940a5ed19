import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/serve.ts'
import { usesVite, ViteServer } from './vite.ts'

const packages = resolve(import.meta.dirname, '../../../node_modules')

function start(config: string, startTimeout?: number): ViteServer {
  const root = temporaryFolder({ 'package.json': '{"type":"module"}', 'vite.config.js': config })
  symlinkSync(packages, join(root, 'node_modules'))
  const vite = new ViteServer(root, startTimeout)
  onTestFinished(() => vite.close())
  return vite
}

test.each(['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'])(
  'vite.config.%s is a configuration',
  (ending) => {
    expect(usesVite(temporaryFolder({ [`vite.config.${ending}`]: '' }))).toBe(true)
  },
)

test('a server that has started has an origin', async () => {
  const { origin } = start('export default {}')
  expect(await origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
})

test('a configuration that waits forever is an error after the time limit', async () => {
  const vite = start('setInterval(() => {}, 1000)\nawait new Promise(() => {})', 1000)
  await expect(vite.origin).rejects.toMatchObject({
    code: 'cli.vite-failed',
    message: expect.stringContaining('Vite has not started within 1 s') as string,
  })
  await expect.poll(() => vite.isRunning).toBe(false)
})

test('a configuration that fails is an error', async () => {
  const vite = start("throw new Error('broken')")
  await expect(vite.origin).rejects.toThrow('Vite has ended: see its messages above.')
})
