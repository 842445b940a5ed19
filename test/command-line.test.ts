/** docs/command-line.md matches the program's commands, and a command line has the documented exit code. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createProgram, fw } from '../src/tools/cli/program.ts'
import { commandList, listedCommands } from './support/command-list.ts'

test('the page lists every command with its arguments, options and examples', async () => {
  const hint = 'run node --conditions=fwjs-source test/support/command-list.ts to update the page'
  expect({ hint, list: listedCommands() }).toEqual({ hint, list: `\n${await commandList()}` })
})

test('every command has an example, and every option and argument a description', async () => {
  const list = await commandList()
  for (const command of (await createProgram([])).commands) {
    const name = command.name()
    expect(list).toMatch(
      new RegExp(`^  .*fw (?:${[name, ...command.aliases()].join('|')})\\b`, 'm'),
    )
    for (const { flags, description } of command.options)
      expect(description, `${name} ${flags}`).not.toBe('')
    for (const argument of command.registeredArguments)
      expect(argument.description, `${name} ${argument.name()}`).not.toBe('')
  }
})

describe('exit codes', () => {
  let output = ''
  beforeEach(() => {
    output = ''
    for (const stream of [process.stdout, process.stderr])
      vi.spyOn(stream, 'write').mockImplementation((text) => (output += String(text)) !== '')
  })
  afterEach(() => {
    vi.restoreAllMocks()
    process.exitCode = undefined
  })

  const execute = async (...args: readonly string[]) => {
    await fw(args)
    return { code: process.exitCode ?? 0, output }
  }

  test.each([
    [['rotes'], 'Did you mean routes?'],
    [['migrate'], 'Did you mean db:migrate?'],
    [['run', '--prt', '1'], 'Did you mean --port?'],
    [['new'], "missing required argument 'folder'\n(fw new --help shows its options)"],
    [['completion', 'tcsh'], 'Allowed choices are bash, zsh, fish.'],
  ])('2 for the invalid command line %j', async (args, text) => {
    const result = await execute(...args)
    expect(result.code).toBe(2)
    expect(result.output).toMatch(/^fw: /)
    expect(result.output).toContain(text)
  })

  test('1 for a failure, with its error code', async () => {
    expect(await execute('routes', '--app', 'docs')).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^fw: .* --app <folder>\. \(cli\.no-application\)\n$/,
      ) as string,
    })
  })

  test('1 for missing settings, with the remedy of each', async () => {
    vi.stubEnv('FW_ENV', 'production')
    const { code } = await execute('start', '--app', 'examples/members')
    vi.unstubAllEnvs()
    expect(code).toBe(1)
    expect(output).toMatch(/secretKeyBase has no value[^]*\n {4}Run \.\/fw secret/)
  })

  test('0 for a list of the generators', async () => {
    for (const command of ['g', 'd']) expect(await execute(command)).toMatchObject({ code: 0 })
    expect(output).toMatch(/^Generators:\n {2}scaffold /)
    expect(output).toContain('name:Type?')
  })

  test('0 for help and version', async () => {
    expect(await execute('help', 'routes')).toMatchObject({ code: 0 })
    expect(output).toContain('fw routes members get')
    expect(await execute('--version')).toMatchObject({ code: 0 })
  })

  test('0 for a secret, which is long and needs no quotes', async () => {
    expect((await execute('secret')).output).toMatch(/^[\w-]{64}\n$/)
  })
})
