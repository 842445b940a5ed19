/**
 * Generates the list of commands in docs/command-line.md from the program `fw`. Run this file with `node
 * --conditions=fwjs-source` to update the page.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command, Help } from 'commander'
import { commandGroups } from '../../src/tools/cli/commands.ts'
import { createProgram } from '../../src/tools/cli/program.ts'

const page = resolve(import.meta.dirname, '../../docs/command-line.md')
/** The line of the page below which the list is generated. The text above the marker is written by hand. */
const marker = '<!-- commands -->\n'

const cell = (text: string): string => text.replaceAll('|', '\\|')

/** Returns the part of a command's help that follows its options. */
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

/** Returns the list as Markdown: a section for each group of commands, and in it a section for each command. */
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

/** Returns the list that the page contains at present. */
export function listedCommands(): string {
  return readFileSync(page, 'utf8').split(marker)[1] ?? ''
}

if (process.argv[1] === join(import.meta.dirname, 'command-list.ts')) {
  const [above = ''] = readFileSync(page, 'utf8').split(marker)
  writeFileSync(page, `${above}${marker}\n${await commandList()}`)
}
