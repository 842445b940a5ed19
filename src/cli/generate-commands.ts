/** The commands that write code. */
import type { Command } from 'commander'
import { addApplicationCommand, addCommand, jsonOption } from './add-command.ts'
import { destroyFiles, generateFiles, generatorHelp } from './generate-files.ts'
import { newApplication } from './new.ts'

const withWriteOptions = (command: Command): Command =>
  command
    .option('--force', 'write over files that differ')
    .option('--pretend', 'write nothing, and show what would be')
    .option(...jsonOption)

const parentOption = [
  '--parent <resources>',
  'the resource that this one is inside of, such as companies',
] as const

/** `new`, `generate`, `destroy`. */
export function addGenerateCommands(program: Command): void {
  program.commandsGroup('Generate:')
  withWriteOptions(
    addCommand(program, {
      name: 'new',
      description: 'write a new application',
      examples: [
        ['fw new shop', 'into the folder shop'],
        ['fw new shop --pretend', 'what would be written'],
      ],
    }),
  )
    .argument('<folder>', 'where to; its last part becomes the name')
    .option('--fwjs <version|tarball>', 'the fwjs that it depends on, else this one')
    .action(newApplication)
  withWriteOptions(
    addApplicationCommand(program, {
      name: 'generate',
      description: 'write code: scaffold, controller, model, …',
      examples: [
        ['fw g scaffold members member name:String birthday:LocalDate', 'a whole tested resource'],
        [
          'fw g scaffold members member name:String --parent companies',
          'at /companies/:companyId/members',
        ],
        ['fw g model company name:String', 'a model, its migration and its factory'],
        ['fw g scaffold members member name:String --pretend', 'what would be written'],
      ],
      more: generatorHelp,
    }),
  )
    .alias('g')
    .argument('<generator>', 'what to write')
    .argument('[words...]', 'names and fields, as the generator wants them')
    .option(...parentOption)
    .action(generateFiles)
  withWriteOptions(
    addApplicationCommand(program, {
      name: 'destroy',
      description: 'take away what generate wrote',
      examples: [
        ['fw d scaffold members member name:String', 'files that were changed since stay'],
        ['fw d model company --pretend', 'what would be removed'],
      ],
      more: generatorHelp,
    }),
  )
    .alias('d')
    .argument('<generator>', 'what to take away')
    .argument('[words...]', 'the words it was written with')
    .option(...parentOption)
    .action(destroyFiles)
}
