/** The program `fw`: its groups of commands, and what a failure says. */
import { Command, CommanderError } from 'commander'
import { FwError } from '../base.ts'
import { addDatabaseCommands } from './database-commands.ts'
import { addDevelopCommands } from './develop-commands.ts'
import { addGenerateCommands } from './generate-commands.ts'
import { addOpenApiCommands } from './openapi-commands.ts'
import { addProductionCommands } from './production-commands.ts'
import { addShellCommands } from './shell-commands.ts'
import { version } from './version.ts'

/** A command line that cannot be understood; 1 is for work that failed. */
const usageExitCode = 2

const exitCodes = `
Exit codes: 0 done; 1 failed, or found mistakes; 2 the command line was not understood.
fw help <command> shows its options and examples.`

/** A mistake of the user is told in one line; a fault of ours with its stack. */
function tell(error: unknown): void {
  if (error instanceof FwError) process.stderr.write(`fw: ${error.message} (${error.code})\n`)
  else
    process.stderr.write(
      `fw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
}

/** A command without the options that each of them has. */
const termOf = (command: Command): string =>
  [
    [command.name(), ...command.aliases()].join(', '),
    ...command.registeredArguments.map((argument) => {
      const name = argument.variadic ? `${argument.name()}...` : argument.name()
      return argument.required ? `<${name}>` : `[${name}]`
    }),
  ].join(' ')

/** All commands, in the order and the groups of the help. */
export function program(): Command {
  const command = new Command('fw')
    .description('Controllers, routing, typed views and atomic requests.')
    .usage('<command> [options]')
    .version(version(), '-V, --version', "Fw's version")
    .helpOption('-h, --help', 'help for a command')
    .configureHelp({ subcommandTerm: termOf })
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'fw: ')) })
    .showHelpAfterError('(fw --help shows the commands)')
    .addHelpText('after', exitCodes)
    .enablePositionalOptions()
    .exitOverride()
  addDevelopCommands(command)
  addGenerateCommands(command)
  addOpenApiCommands(command)
  addDatabaseCommands(command)
  addProductionCommands(command)
  addShellCommands(command)
  return command
}

/** Runs the command line; sets the exit code and never throws. */
export async function fw(args: readonly string[]): Promise<void> {
  try {
    await program().parseAsync(args, { from: 'user' })
  } catch (error) {
    // Commander has written what it has to say.
    if (error instanceof CommanderError) process.exitCode = error.exitCode && usageExitCode
    else {
      tell(error)
      process.exitCode = 1
    }
  }
}
