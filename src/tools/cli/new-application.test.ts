/** `fw new`: each shell reads the path in the next steps as the same folder. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { quoteForShell } from './new-application.ts'

const paths = [
  'my-app',
  'work/über/app',
  'my app',
  "ann's app",
  String.raw`back\slash`,
  String.raw`two\\n`,
  '$HOME and `id`',
  '!history;#x',
  '~/app*',
]

const shells = ['sh', 'bash', 'dash', 'zsh'].filter(
  (shell) => spawnSync(shell, ['-c', 'exit 0']).status === 0,
)

test.runIf(process.platform !== 'win32').each(shells)(
  '%s reads a quoted path as it is',
  (shell) => {
    const line = `printf '%s|' ${paths.map((path) => quoteForShell(path)).join(' ')}`
    const { stdout } = spawnSync(shell, ['-c', line], { encoding: 'utf8' })
    expect(stdout.split('|').slice(0, -1)).toEqual(paths)
  },
)

test('paths of Windows', () => {
  expect(quoteForShell(String.raw`C:\work\my-app`, true)).toBe(String.raw`C:\work\my-app`)
  expect(quoteForShell(String.raw`C:\my work\app`, true)).toBe(String.raw`"C:\my work\app"`)
})

test('a usual path has no quotes', () => {
  expect(quoteForShell('work/my-app', false)).toBe('work/my-app')
})
