/** The commands of every day. */
import type { Command } from 'commander'
import { addApplicationCommand, jsonOption } from './add-command.ts'
import { check } from './check.ts'
import { run } from './run.ts'
import { showRoutes } from './show-routes.ts'
import { testFromError } from './test-from-error.ts'
import { test } from './test.ts'

/** `run`, `test`, `test:from-error`, `check`, `routes`, `console`, `doctor`. */
export function addDevelopCommands(program: Command): void {
  program.commandsGroup('Develop:')
  addApplicationCommand(program, {
    name: 'run',
    description: 'serve the application for development',
    examples: [
      ['fw run', 'at http://127.0.0.1:8080'],
      ['fw run --port 3000 --host 0.0.0.0', 'for the other machines of the network'],
    ],
  })
    .option('--port <number>', 'the port, else FW_PORT, else PORT, else 8080')
    .option(
      '--host <address>',
      'the address to listen on; 0.0.0.0 opens it to the network',
      '127.0.0.1',
    )
    .action(run)
  addApplicationCommand(program, {
    name: 'test',
    description: "run the application's tests",
    examples: [
      ['fw test', 'all of them'],
      ['fw test src/test/controller/members.test.ts', 'one file'],
      ['fw test --test-only --watch', 'options of node --test are passed on'],
    ],
  })
    .argument('[files...]', 'test files, else all below src/test')
    .allowUnknownOption()
    .action(test)
  addApplicationCommand(program, {
    name: 'test:from-error',
    description: 'write the test that fails as a request did under fw run',
    examples: [
      ['fw test:from-error', 'of the last error'],
      ['fw test:from-error LNJNTPKWeIhshmDH', 'of the one that its page names'],
      ['fw test:from-error --json', '{ files, left, tried: { result, reason } }'],
    ],
  })
    .argument('[id]', "the request's id")
    .option('--no-run', 'do not try the test out')
    .option('--force', 'write over a test that differs')
    .option('--pretend', 'write nothing, and show what would be')
    .option(...jsonOption)
    .action(testFromError)
  addApplicationCommand(program, {
    name: 'check',
    description: 'check the types of code and templates',
    examples: [
      ['fw check', 'the exit code is 1 when there is a mistake'],
      ['fw check --watch', 'again after each change'],
    ],
  })
    .option(...jsonOption)
    .option('--watch', 'check again after each change')
    .action(check)
  addApplicationCommand(program, {
    name: 'routes',
    description: 'list the routes and the filters that run around them',
    examples: [
      ['fw routes', 'method, path, name, action, and the filters of each controller'],
      ['fw routes members get', 'those that have both words'],
      ['fw routes get /members/5', 'those that would answer this URL, the first one first'],
      ['fw routes /admin --filters', 'with every filter of each route, in its order'],
      ['fw routes --json', 'for programs'],
    ],
  })
    .argument('[search...]', 'methods, URLs, or parts of paths, names, actions, controllers')
    .option('--filters', "every filter, Fw's own among them")
    .option(...jsonOption)
    .action(showRoutes)
  addApplicationCommand(program, {
    name: 'console',
    description: 'type TypeScript with the application at hand',
    examples: [
      ['fw console', 'models, routes, app, db, sql, t and url are there; await works'],
      ['fw console --sandbox', 'what is written is rolled back at the end'],
      ["echo 'await Member.count()' | fw console", 'lines from a program'],
    ],
  })
    .option('--sandbox', 'one transaction around everything, rolled back at the end')
    // Node's console is loaded by those who want it.
    .action(async (options) => (await import('./console.ts')).startConsole(options))
  addApplicationCommand(program, {
    name: 'doctor',
    description: 'look at what people get wrong, and say how to mend it',
    examples: [
      ['fw doctor', 'packages, settings, database, types, git, disk, port'],
      ['FW_ENV=production fw doctor', 'on a server, before its first start'],
      ['fw doctor --json', '{ ok, findings: [{ topic, state, text, mend }] }'],
    ],
  })
    .option(...jsonOption)
    .action(async (options) => (await import('./doctor.ts')).doctor(options))
}
