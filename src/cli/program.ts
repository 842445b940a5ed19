/** The commands of `fw`, their options, and what a failure says. */
import { Command } from 'commander'
import { FwError } from '../base.ts'
import { build } from './build.ts'
import { check } from './check.ts'
import { destroyFiles, generateFiles, generatorHelp } from './generate-files.ts'
import {
  dumpDatabase,
  migrateDatabase,
  rollbackDatabase,
  seedDatabase,
  showMigrations,
} from './migrations.ts'
import { newApplication } from './new.ts'
import { showRoutes } from './show-routes.ts'
import { run } from './run.ts'
import { start } from './start.ts'
import { test } from './test.ts'
import { version } from './version.ts'

/** A mistake of the user is told in one line; a fault of ours with its stack. */
function tell(error: unknown): void {
  if (error instanceof FwError) process.stderr.write(`fw: ${error.message} (${error.code})\n`)
  else
    process.stderr.write(
      `fw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
}

function program(): Command {
  const command = new Command('fw')
    .description('Controllers, routing, typed views and atomic requests.')
    .version(version())
    .showHelpAfterError('(fw --help shows the commands)')
    .enablePositionalOptions()
  const add = (name: string, description: string): Command =>
    command
      .command(name)
      .description(description)
      .option('--app <folder>', "the application's folder", '.')
  addGenerators(command, add)
  add('run', 'serve the application for development')
    .option('--port <number>', 'the port, else FW_PORT, else PORT, else 8080')
    .option(
      '--host <address>',
      'the address to listen on; 0.0.0.0 opens it to the network',
      '127.0.0.1',
    )
    .action(run)
  add('test', "run the application's tests")
    .argument('[files...]')
    .allowUnknownOption()
    .action(test)
  add('check', 'check the types of code and templates')
    .option('--json', 'one JSON document')
    .option('--watch', 'check again after each change')
    .action(check)
  add('build', 'generate and check everything that a start in production needs')
    .option('--json', 'one JSON document')
    .action(build)
  add('start', 'serve the application in production, as fw build has left it')
    .option('--port <number>', 'the port, else FW_PORT, else PORT, else 8080')
    .option('--host <address>', 'the address to listen on', '0.0.0.0')
    .action(start)
  add('routes', 'list the routes in the order in which they are tried')
    .option('--json', 'one JSON document')
    .action(showRoutes)
  add('db:migrate', 'apply the migrations that are pending').action(migrateDatabase)
  add('db:rollback', 'take back the last migration')
    .option('--steps <number>', 'how many', '1')
    .action(rollbackDatabase)
  add('db:status', 'list the migrations')
    .option('--json', 'one JSON document')
    .action(showMigrations)
  add('db:seed', 'run db/seed.sql and db/seed.ts').action(seedDatabase)
  add('db:dump', 'write the schema to db/schema.sql').action(dumpDatabase)
  return command
}

function addGenerators(
  command: Command,
  add: (name: string, description: string) => Command,
): void {
  const withOptions = (made: Command): Command =>
    made
      .option('--force', 'write over files that differ')
      .option('--pretend', 'write nothing, and show what would be')
      .option('--json', 'one JSON document')
  withOptions(command.command('new').description('write a new application'))
    .argument('<folder>')
    .option('--fwjs <version|tarball>', 'the fwjs that it depends on, else this one')
    .action(newApplication)
  withOptions(add('generate', 'write code: scaffold, controller, model, …'))
    .alias('g')
    .argument('<generator>')
    .argument('[words...]')
    .addHelpText('after', generatorHelp)
    .action(generateFiles)
  withOptions(add('destroy', 'take away what generate wrote'))
    .alias('d')
    .argument('<generator>')
    .argument('[words...]')
    .addHelpText('after', generatorHelp)
    .action(destroyFiles)
}

/** Runs the command line; sets the exit code and never throws. */
export async function fw(args: readonly string[]): Promise<void> {
  try {
    await program().parseAsync(args, { from: 'user' })
  } catch (error) {
    tell(error)
    process.exitCode = 1
  }
}
