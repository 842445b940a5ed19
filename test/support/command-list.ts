/** The commands for docs/command-line.md, read from the program; run this file with `node --conditions=fwjs-source` to update the page. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command, Help } from 'commander'
import { commandGroups } from '../../src/tools/cli/commands.ts'
import { createProgram } from '../../src/tools/cli/program.ts'

const page = resolve(import.meta.dirname, '../../docs/command-line.md')
/** The text above it is written by hand. */
const marker = '<!-- commands -->\n'

const cell = (text: string): string => text.replaceAll('|', '\\|')

/** The text of a command's help below its options. */
function textBelow(command: Command): string {
  let output = ''
  command.configureOutput({ writeOut: (text) => (output += text) }).outputHelp()
  const at = output.indexOf('\n\n', output.indexOf('\nOptions:\n'))
  return output.slice(at).trim()
}

function formatSection(command: Command, help: Help): string {
  const names = [command.name(), ...command.aliases()].map((name) => `\`fw ${name}\``)
  const usage = `fw ${command.name()} ${command.usage()}`
    .replace('[options] ', '')
    .replace(' [options]', '')
  const rows = [
    ...help.visibleArguments(command).map((one) => [help.argumentTerm(one), one.description]),
    ...help
      .visibleOptions(command)
      .filter(({ long }) => long !== '--help')
      .map((one) => [one.flags, help.optionDescription(one)]),
  ]
  const table = rows.map(([term, text]) => `| \`${cell(term!)}\` | ${cell(text!)} |\n`).join('')
  const parts = [
    `### ${names.join(', ')}\n`,
    `\`${usage}\`: ${command.description()}.\n`,
    ...(rows.length === 0 ? [] : [`| | |\n|---|---|\n${table}`]),
    ...(textBelow(command) === '' ? [] : [`\`\`\`text\n${textBelow(command)}\n\`\`\`\n`]),
  ]
  return parts.join('\n')
}

/** A section for each group, and in it one for each command: arguments, options, examples. */
export async function commandList(): Promise<string> {
  const fw = await createProgram(
    commandGroups.flatMap(([, commands]) => commands.map(({ name }) => name)),
  )
  const help = fw.createHelp()
  const groups = Map.groupBy(fw.commands, (command) => command.helpGroup() || 'Help:')
  return [...groups]
    .map(([group, commands]) =>
      [`## ${group.replace(/:$/, '')}\n`, ...commands.map((one) => formatSection(one, help))].join(
        '\n',
      ),
    )
    .join('\n')
}

/** The list on the page. */
export function listedCommands(): string {
  return readFileSync(page, 'utf8').split(marker)[1] ?? ''
}

if (process.argv[1] === join(import.meta.dirname, 'command-list.ts')) {
  const [above = ''] = readFileSync(page, 'utf8').split(marker)
  writeFileSync(page, `${above}${marker}\n${await commandList()}`)
}
