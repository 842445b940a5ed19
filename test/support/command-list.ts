/** The commands in docs/command-line.md, as the program has them; `node --conditions=fwjs-source` of this file writes them there. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command, Help } from 'commander'
import { program } from '../../src/cli/program.ts'

const page = resolve(import.meta.dirname, '../../docs/command-line.md')
/** What stands above it is written by hand. */
const marker = '<!-- commands -->\n'

const cell = (text: string): string => text.replaceAll('|', '\\|')

/** What a command's help says below its options. */
function textBelow(command: Command): string {
  let said = ''
  command.configureOutput({ writeOut: (text) => (said += text) }).outputHelp()
  const at = said.indexOf('\n\n', said.indexOf('\nOptions:\n'))
  return said.slice(at).trim()
}

function sectionOf(command: Command, help: Help): string {
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

/** A section for each group, in it one for each command: arguments, options, examples. */
export function commandList(): string {
  const fw = program()
  const help = fw.createHelp()
  const groups = Map.groupBy(fw.commands, (command) => command.helpGroup() || 'Help:')
  return [...groups]
    .map(([group, commands]) =>
      [`## ${group.replace(/:$/, '')}\n`, ...commands.map((one) => sectionOf(one, help))].join(
        '\n',
      ),
    )
    .join('\n')
}

/** The list as it stands on the page. */
export function listedCommands(): string {
  return readFileSync(page, 'utf8').split(marker)[1] ?? ''
}

if (process.argv[1] === join(import.meta.dirname, 'command-list.ts')) {
  const [above = ''] = readFileSync(page, 'utf8').split(marker)
  writeFileSync(page, `${above}${marker}\n${commandList()}`)
}
