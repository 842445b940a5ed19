/** The commands for a server. */
import type { Command } from 'commander'
import { addApplicationCommand, addCommand, jsonOption } from './add-command.ts'
import { build } from './build.ts'
import { printSecret } from './secret.ts'
import { start } from './start.ts'

/** `build`, `start`, `secret`. */
export function addProductionCommands(program: Command): void {
  program.commandsGroup('Production:')
  addApplicationCommand(program, {
    name: 'build',
    description: 'generate and check everything that a start in production needs',
    examples: [['fw build', 'the exit code is 1 when there is a mistake']],
  })
    .option(...jsonOption)
    .action(build)
  addApplicationCommand(program, {
    name: 'start',
    description: 'serve the application in production, as fw build has left it',
    examples: [
      ['fw start', 'on port 8080 of every address'],
      ['PORT=80 fw start --host 127.0.0.1', 'behind a proxy of the same machine'],
    ],
  })
    .option('--port <number>', 'the port, else FW_PORT, else PORT, else 8080')
    .option('--host <address>', 'the address to listen on', '0.0.0.0')
    .action(start)
  addCommand(program, {
    name: 'secret',
    description: 'print a new secret for production',
    examples: [
      ['fw secret', '48 random bytes'],
      ['export SECRET_KEY_BASE="$(fw secret)"', 'as a new application reads it'],
    ],
  }).action(printSecret)
}
