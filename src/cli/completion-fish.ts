/** The completion script for fish. */
import type { Completed, CompletedCommand, CompletedOption } from './completion-words.ts'

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`

/** The arguments of `complete` that give a value's words. */
function valueOf(value: Completed): string {
  switch (value.from) {
    case 'words':
      return `-a ${quoted(value.words.join(' '))}`
    case 'folders':
      return `-a '(__fish_complete_directories)'`
    case 'files':
      return '-F'
    case 'tests':
      return `-a '(__fish_complete_suffix .test.ts)'`
    case 'controllers':
      return `-a 'get post put patch delete (__fw_controllers)'`
    case 'nothing':
      return ''
  }
}

function optionLine({ long, short, description, value }: CompletedOption, seen: string): string {
  const flag = short === undefined ? '' : ` -s ${short.slice(1)}`
  const given = value === undefined ? '' : ` -r ${valueOf(value)}`.trimEnd()
  return `complete -c fw -n ${seen}${flag} -l ${long.slice(2)}${given} -d ${quoted(description)}\n`
}

function linesOf(command: CompletedCommand): string {
  const { names, description, options, first } = command
  const seen = quoted(`__fish_seen_subcommand_from ${names.join(' ')}`)
  const name = `complete -c fw -n __fish_use_subcommand -a ${quoted(names.join(' '))} -d ${quoted(description)}\n`
  const argument = first.from === 'nothing' ? '' : `complete -c fw -n ${seen} ${valueOf(first)}\n`
  return name + argument + options.map((option) => optionLine(option, seen)).join('')
}

/** To be sourced, or kept as `~/.config/fish/completions/fw.fish`. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  return `# Completion of fw for fish: fw completion fish > ~/.config/fish/completions/fw.fish
function __fw_controllers
  for file in src/main/controller/*-controller.ts
    string replace -r '.*/(.*)-controller\\.ts$' '$1' -- $file
  end
end

complete -c fw -f
${commands.map(linesOf).join('')}`
}
