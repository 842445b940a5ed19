/** Completion: bash's own is asked; the scripts of the other shells name the same things. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { generators } from '../generate.ts'
import { completionScript, shells } from './completion.ts'
import { program } from './program.ts'

const folder = mkdtempSync(join(tmpdir(), 'fw-completion-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What bash would offer for each line; it is started once. */
function offered(lines: readonly string[]): string[][] {
  const asked = lines.map(
    (line) => `COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}; _fw; echo "\${COMPREPLY[@]}"`,
  )
  const script = [completionScript('bash', program()), ...asked].join('\n')
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  return stdout
    .slice(0, -1)
    .split('\n')
    .map((line) => line.split(' ').toSorted())
}

test('bash offers commands, options, generators, folders, tests, controllers and shells', () => {
  for (const path of ['src/main/controller', 'src/test', 'my app'])
    mkdirSync(join(folder, path), { recursive: true })
  for (const path of [
    'src/main/controller/members-controller.ts',
    'src/test/a.test.ts',
    'src/test/b.ts',
  ])
    writeFileSync(join(folder, path), '')
  const asked: Readonly<Record<string, readonly string[]>> = {
    './fw ro': ['routes'],
    'fw db:m': ['migrate'],
    'fw run --p': ['--port'],
    'fw run --port ': [''],
    'fw g ': generators.map(({ name }) => name).toSorted(),
    'fw generate scaffold --pre': ['--pretend'],
    'fw new my': ['app', 'my'],
    'fw routes mem': ['members'],
    'fw g scaffold notes note --parent mem': ['members'],
    'fw routes members ge': ['get'],
    'fw test src/test/': ['src/test/a.test.ts'],
    'fw check --app sr': ['src'],
    'fw completion ': ['bash', 'fish', 'zsh'],
    'fw help con': ['console'],
    'fw unknown ': [''],
  }
  expect(
    Object.fromEntries(
      offered(Object.keys(asked)).map((words, at) => [Object.keys(asked)[at], words]),
    ),
  ).toEqual(asked)
})

test.each(shells)(
  'the script for %s has every command and option, and what is said of them',
  (shell) => {
    const script = completionScript(shell, program())
    const unquoted = script.replaceAll('\\', '').replaceAll("'''", "'")
    for (const command of program().commands) {
      expect(unquoted).toContain(command.name())
      for (const { long } of command.options)
        expect(unquoted).toContain(shell === 'fish' ? `-l ${long!.slice(2)}` : long)
      if (shell !== 'bash') expect(unquoted).toContain(command.description())
    }
  },
)
