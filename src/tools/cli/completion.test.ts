/** Completion: the bash script runs in bash; the scripts of all shells contain every command and option. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { generators } from '../generate.ts'
import { shells } from './commands.ts'
import { completionScript } from './completion.ts'
import { createProgram } from './program.ts'

const folder = mkdtempSync(join(tmpdir(), 'fw-completion-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The candidates of bash for each line, from one bash process. */
async function offered(lines: readonly string[]): Promise<string[][]> {
  const asked = lines.map(
    (line) => `COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}; _fw; echo "\${COMPREPLY[@]}"`,
  )
  const script = [completionScript('bash', await createProgram([])), ...asked].join('\n')
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

test('bash offers commands, options, generators, folders, tests, controllers and shells', async () => {
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
      (await offered(Object.keys(asked))).map((words, at) => [Object.keys(asked)[at], words]),
    ),
  ).toEqual(asked)
})

test.each(shells)(
  'the script for %s has every command and option, with their descriptions',
  async (shell) => {
    const program = await createProgram([])
    const script = completionScript(shell, program)
    const unquoted = script.replaceAll('\\', '').replaceAll("'''", "'")
    for (const command of program.commands) {
      expect(unquoted).toContain(command.name())
      for (const { long } of command.options)
        expect(unquoted).toContain(shell === 'fish' ? `-l ${long!.slice(2)}` : long)
      if (shell !== 'bash') expect(unquoted).toContain(command.description())
    }
  },
)
