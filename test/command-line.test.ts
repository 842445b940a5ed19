/** docs/command-line.md lists the commands as the program has them. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fw, program } from '../src/cli/program.ts'
import { commandList, listedCommands } from './support/command-list.ts'

test('the page lists every command with its arguments, options and examples', () => {
  const hint = 'node --conditions=fwjs-source test/support/command-list.ts writes it'
  expect({ hint, list: listedCommands() }).toEqual({ hint, list: `\n${commandList()}` })
})

test('every command has an example, and every option and argument says what it is', () => {
  for (const command of program().commands) {
    const name = command.name()
    expect(commandList()).toMatch(new RegExp(`^  .*fw ${command.alias() ?? name}\\b`, 'm'))
    for (const { flags, description } of command.options)
      expect(description, `${name} ${flags}`).not.toBe('')
    for (const argument of command.registeredArguments)
      expect(argument.description, `${name} ${argument.name()}`).not.toBe('')
  }
})

describe('what a command line answers', () => {
  let said = ''
  beforeEach(() => {
    said = ''
    for (const stream of [process.stdout, process.stderr])
      vi.spyOn(stream, 'write').mockImplementation((text) => (said += String(text)) !== '')
  })
  afterEach(() => {
    vi.restoreAllMocks()
    process.exitCode = undefined
  })

  const answer = async (...args: readonly string[]) => {
    await fw(args)
    return { code: process.exitCode ?? 0, said }
  }

  test.each([
    [['rotes'], 'Did you mean routes?'],
    [['migrate'], 'Did you mean db:migrate?'],
    [['run', '--prt', '1'], 'Did you mean --port?'],
    [['g'], "missing required argument 'generator'\n(fw generate --help shows its options)"],
    [['completion', 'tcsh'], 'Allowed choices are bash, zsh, fish.'],
  ])('%j is not understood: 2', async (args, text) => {
    const { code, said: told } = await answer(...args)
    expect(code).toBe(2)
    expect(told).toMatch(/^fw: /)
    expect(told).toContain(text)
  })

  test('a failure is 1, with its code', async () => {
    expect(await answer('routes', '--app', 'docs')).toEqual({
      code: 1,
      said: expect.stringMatching(
        /^fw: .* Name its folder with --app\. \(cli\.no-application\)\n$/,
      ) as string,
    })
  })

  test('help and the version are 0', async () => {
    expect(await answer('help', 'routes')).toMatchObject({ code: 0 })
    expect(said).toContain('fw routes members get')
    expect(await answer('--version')).toMatchObject({ code: 0 })
  })

  test('a secret is long, and needs no quotes', async () => {
    expect((await answer('secret')).said).toMatch(/^[\w-]{64}\n$/)
  })
})
