/** The program `fw`: parses the command line, runs the command, and prints an error if the command fails. */
import { Argument, Command, CommanderError } from 'commander'
import { commandGroups, shells, type NamedCommand } from './commands.ts'
import { version } from './version.ts'

/** The exit code for an invalid command line; 1 means that the command failed. */
const usageExitCode = 2

const exitCodes = `
Exit codes: 0 success; 1 failed, or found mistakes; 2 mistake in the command line.
fw help <command> shows its options and examples.`

/** Formats a command for the list in the help: its names and arguments, without options. */
const describeTerm = (command: Command): string =>
  [
    [command.name(), ...command.aliases()].join(', '),
    ...command.registeredArguments.map((argument) => {
      const name = argument.variadic ? `${argument.name()}...` : argument.name()
      return argument.required ? `<${name}>` : `[${name}]`
    }),
  ].join(' ')

function addCommand(program: Command, definition: NamedCommand, details: string): void {
  const { name, aliases = [], description, examples, options = [], load } = definition
  const width = Math.max(...examples.map(([line]) => line.length))
  const lines = examples.map(([line, meaning]) => `  ${line.padEnd(width)}  ${meaning}\n`)
  const command = program
    .command(name)
    .description(description)
    .showHelpAfterError(`(fw ${name} --help shows its options)`)
    .addHelpText('after', `${details}\nExamples:\n${lines.join('').trimEnd()}`)
    .allowUnknownOption(definition.allowsUnknownOptions ?? false)
    .action(async (...args: unknown[]) => void (await (await load())(...args)))
  command.aliases(aliases)
  if (definition.hasApplication !== false)
    command.option('--app <folder>', "the application's folder", '.')
  for (const [term, text] of definition.arguments ?? []) {
    const argument = new Argument(term, text)
    command.addArgument(term === '<shell>' ? argument.choices(shells) : argument)
  }
  for (const [flags, text, fallback] of options) command.option(flags, text, fallback)
}

/** Creates the program with all commands. `words` are the names of the commands whose complete help is loaded. */
export async function createProgram(words: readonly string[]): Promise<Command> {
  const program = new Command('fw')
    .description('Controllers, routing, typed views and atomic requests.')
    .usage('<command> [options]')
    .version(version(), '-V, --version', "Fw's version")
    .helpOption('-h, --help', 'help for a command')
    .configureHelp({ subcommandTerm: describeTerm })
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'fw: ')) })
    .showHelpAfterError('(fw --help shows the commands)')
    .addHelpText('after', exitCodes)
    .enablePositionalOptions()
    .exitOverride()
  for (const [heading, commands] of commandGroups) {
    program.commandsGroup(heading)
    for (const definition of commands) {
      const { name, aliases = [], help } = definition
      const isNamed = [name, ...aliases].some((each) => words.includes(each))
      addCommand(program, definition, isNamed && help ? `${await help()}\n` : '')
    }
  }
  return program.helpCommand('help [command]', 'help for a command')
}

/** Adds the remedy of a missing setting below the line that names it. */
async function addRemedies({ code, message }: { code: string; message: string }): Promise<string> {
  if (code !== 'config.invalid') return message
  const { findSettingRemedy } = await import('./setting-remedies.ts')
  const lines = message.split('\n').map((line) => {
    const remedy = findSettingRemedy(line)
    return remedy === undefined ? line : `${line}\n    ${remedy}`
  })
  return lines.join('\n')
}

/** Adds the code to the first line, because a later line may be a command to copy. */
const addCode = (message: string, code: string): string =>
  message.replace(/:?(?=\n|$)/, (colon) => ` (${code})${colon}`)

/** Prints an error: a mistake of the user as one line, an unexpected error with its stack. */
async function printFailure(error: unknown): Promise<void> {
  const { FwError } = await import('../../runtime/base.ts')
  const { describeSystemFailure } = await import('./system-failure.ts')
  const text =
    error instanceof FwError
      ? addCode(await addRemedies(error), error.code)
      : (describeSystemFailure(error) ??
        (error instanceof Error ? (error.stack ?? error.message) : String(error)))
  process.stderr.write(`fw: ${text}\n`)
}

/** Runs the command line; sets the exit code and never throws. */
export async function fw(args: readonly string[]): Promise<void> {
  try {
    const program = await createProgram(args.slice(0, 2))
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    // Commander has already printed its own errors.
    if (error instanceof CommanderError) process.exitCode = error.exitCode && usageExitCode
    else {
      await printFailure(error)
      process.exitCode = 1
    }
  }
}
