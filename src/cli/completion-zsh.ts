/** The completion script for zsh. */
import type { Completed, CompletedCommand, CompletedOption } from './completion-words.ts'

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
/** Brackets and colons mean something to `_arguments` and `_describe`. */
const escaped = (text: string): string => text.replace(/[\\:[\]]/g, '\\$&')

const actions = {
  folders: '_files -/',
  files: '_files',
  tests: '_files -g "*.test.ts"',
  controllers: '_fw_controllers',
  nothing: ' ',
} as const

const actionFor = (value: Completed): string =>
  value.from === 'words' ? `(${value.words.map(escaped).join(' ')})` : actions[value.from]

function optionOf({ long, short, description, value }: CompletedOption): string {
  const names = short === undefined ? long : `{${short},${long}}`
  const rest = `[${escaped(description)}]${value === undefined ? '' : `:value:${actionFor(value)}`}`
  return `${short === undefined ? '' : `'(${short} ${long})'`}${names}${quoted(rest)}`
}

function caseOf(command: CompletedCommand): string {
  const specs = [
    ...command.options.map(optionOf),
    quoted(`1:argument:${actionFor(command.first)}`),
    quoted(`*:argument:${actionFor(command.rest)}`),
  ]
  return `    ${command.names.join('|')}) _arguments ${specs.join(' \\\n      ')} ;;\n`
}

/** To be sourced, or kept as \`_fw\` in a folder of \`fpath\`. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const described = commands.flatMap(({ names, description }) =>
    names.map((name) => `    ${quoted(`${escaped(name)}:${escaped(description)}`)}\n`),
  )
  return `#compdef fw
# Completion of fw for zsh. In ~/.zshrc, after compinit: source <(fw completion zsh)
_fw_controllers() {
  local -a files=(src/main/controller/*-controller.ts(N:t))
  compadd get post put patch delete \${files%-controller.ts}
}

_fw() {
  local -a commands=(
${described.join('')}  )
  if (( CURRENT == 2 )); then
    _describe -t commands 'fw command' commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${commands.map(caseOf).join('')}  esac
}

if [ "$funcstack[1]" = _fw ]; then _fw "$@"; else compdef _fw fw; fi
`
}
