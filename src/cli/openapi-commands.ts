/** The commands that tell programs and their authors of the routes. */
import type { Command } from 'commander'
import { addApplicationCommand } from './add-command.ts'
import { writeClient, writeOpenApi } from './write-openapi.ts'

/** `openapi`, `client`. */
export function addOpenApiCommands(program: Command): void {
  program.commandsGroup('Describe:')
  addApplicationCommand(program, {
    name: 'openapi',
    description: 'write the OpenAPI 3.1 document of the routes',
    examples: [
      ['fw openapi', 'to stdout; fw run serves it as /openapi.json, with a page at /openapi'],
      ['fw openapi --output openapi.yaml', 'YAML by the name of the file'],
      ['fw openapi --output src/main/webapp/openapi.json', 'public, with every other file there'],
    ],
  })
    .option('--output <file>', 'write it there')
    .option('--yaml', 'YAML in place of JSON')
    .action(writeOpenApi)
  addApplicationCommand(program, {
    name: 'client',
    description: 'write a typed client of the routes, in one file of TypeScript',
    examples: [
      ['fw client --output ../web/src/api.ts', 'needs nothing but fetch'],
      ['fw client | diff - ../web/src/api.ts', 'whether the client is up to date'],
    ],
  })
    .option('--output <file>', 'write it there')
    .action(writeClient)
}
