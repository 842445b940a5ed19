/** `fw completion`: generates scripts for bash, zsh and fish from the definitions of the commands and their options. */
import type { Argument, Command, Option } from 'commander'
import { generators } from '../generate.ts'

/** The candidates for completing a value: fixed words, or a kind of name that the script looks up at completion. */
type Candidates = readonly string[] | 'folders' | 'files' | 'tests' | 'controllers' | 'nothing'

/** The completion candidates, by the name of the argument or option value in the help. */
const candidatesByName: Readonly<Record<string, Candidates>> = {
  folder: 'folders',
  files: 'tests',
  file: 'files',
  search: 'controllers',
  resources: 'controllers',
  'version|tarball': 'files',
  generator: generators.map(({ name }) => name),
}

function findCandidates(argument: Argument | undefined, commands: readonly string[]): Candidates {
  if (argument?.name() === 'command') return commands
  return argument?.argChoices ?? candidatesByName[argument?.name() ?? ''] ?? 'nothing'
}

type CompletedOption = ReturnType<typeof describeOption>

/** `value` contains the candidates for the option's value; it is `undefined` for an option without a value. */
function describeOption({ long, short, flags, description }: Option) {
  const name = /[<[](.+)[>\]]$/.exec(flags)?.[1]
  const value = name === undefined ? undefined : (candidatesByName[name] ?? 'nothing')
  return { long: long!, short, description, value }
}

type CompletedCommand = ReturnType<typeof describeCommands>[number]

function describeCommands(program: Command) {
  const help = program.createHelp()
  const commands = help.visibleCommands(program)
  const names = commands.map((command) => command.name())
  return commands.map((command) => {
    const [first, second] = command.registeredArguments
    return {
      names: [command.name(), ...command.aliases()],
      description: command.description(),
      options: help.visibleOptions(command).map(describeOption),
      firstArgument: findCandidates(first, names),
      otherArguments: findCandidates(first?.variadic === true ? first : second, names),
    }
  })
}

const bashWords = (words: readonly string[]): string => `_fw_words '${words.join(' ')}'`
const bashCall = (value: Candidates): string =>
  typeof value === 'string' ? `_fw_${value}` : bashWords(value)

function bashCase({ names, options, firstArgument, otherArguments }: CompletedCommand): string {
  const values = options
    .filter(({ value }) => value !== undefined)
    .map(({ long, value }) => `        ${long},*) ${bashCall(value!)} ;;\n`)
  const flags = options.flatMap(({ long, short }) => (short === undefined ? [long] : [long, short]))
  const [first, others] = [bashCall(firstArgument), bashCall(otherArguments)]
  const argument = first === others ? first : `if [ $at -eq 2 ]; then ${first}; else ${others}; fi`
  return `    ${names.join(' | ')})
      case $previous,$current in
${values.join('')}        *,-*) ${bashWords(flags)} ;;
        *) ${argument} ;;
      esac
      ;;
`
}

/** The script for bash 3.2 (macOS) and later. It splits the line itself, because bash ends a word at a colon (`db:migrate`). */
const bashScript = (commands: readonly CompletedCommand[]): string =>
  `# Completion of fw for bash. In ~/.bashrc: source <(fw completion bash)
_fw_nothing() { :; }
_fw_words() { COMPREPLY=($(compgen -W "$1" -- "$current")); }
_fw_names() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$@" -- "$current"))
}
_fw_files() { _fw_names -f; }
_fw_folders() { _fw_names -d; }
_fw_tests() {
  _fw_names -f -X '!*.test.ts'
  local IFS=$'\\n'
  COMPREPLY+=($(compgen -d -- "$current"))
}
_fw_controllers() {
  local file all='get post put patch delete'
  for file in src/main/controller/*-controller.ts; do
    file=\${file##*/}
    [ "$file" = '*-controller.ts' ] || all="$all \${file%-controller.ts}"
  done
  _fw_words "$all"
}

_fw() {
  local line=\${COMP_LINE:0:COMP_POINT} current previous at
  local -a typed
  read -ra typed <<<"$line"
  case $line in *[[:space:]]) typed+=('') ;; esac
  at=$((\${#typed[@]} - 1))
  current=\${typed[at]}
  previous=\${typed[at - 1]}
  COMPREPLY=()
  if [ $at -eq 1 ]; then
    ${bashWords([...commands.flatMap(({ names }) => names), '--help', '--version'])}
  else
    case \${typed[1]} in
${commands.map(bashCase).join('')}    esac
  fi

  # Bash inserts the candidate after the last colon.
  case $COMP_WORDBREAKS in
    *:*)
      local colon=\${current%"\${current##*:}"}
      for at in "\${!COMPREPLY[@]}"; do COMPREPLY[at]=\${COMPREPLY[at]#"$colon"}; done
      ;;
  esac
}
complete -F _fw fw
`

const zshQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
/** Escapes brackets and colons, which the zsh functions `_arguments` and `_describe` treat as syntax. */
const zshEscape = (text: string): string => text.replace(/[\\:[\]]/g, '\\$&')
const zshActions = {
  folders: '_files -/',
  files: '_files',
  tests: '_files -g "*.test.ts"',
  controllers: '_fw_controllers',
  nothing: ' ',
} as const
const zshAction = (value: Candidates): string =>
  typeof value === 'string' ? zshActions[value] : `(${value.map(zshEscape).join(' ')})`

function zshOption({ long, short, description, value }: CompletedOption): string {
  const names = short === undefined ? long : `'(${short} ${long})'{${short},${long}}`
  const argument = value === undefined ? '' : `:value:${zshAction(value)}`
  return `${names}${zshQuote(`[${zshEscape(description)}]${argument}`)}`
}

function zshCase(command: CompletedCommand): string {
  const specs = [
    ...command.options.map(zshOption),
    zshQuote(`1:argument:${zshAction(command.firstArgument)}`),
    zshQuote(`*:argument:${zshAction(command.otherArguments)}`),
  ]
  return `    ${command.names.join('|')}) _arguments ${specs.join(' \\\n      ')} ;;\n`
}

function zshScript(commands: readonly CompletedCommand[]): string {
  const described = commands.flatMap(({ names, description }) =>
    names.map((name) => `    ${zshQuote(`${zshEscape(name)}:${zshEscape(description)}`)}\n`),
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
${commands.map(zshCase).join('')}  esac
}

if [ "$funcstack[1]" = _fw ]; then _fw "$@"; else compdef _fw fw; fi
`
}

const fishQuote = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
const fishSources = {
  folders: `-a '(__fish_complete_directories)'`,
  files: '-F',
  tests: `-a '(__fish_complete_suffix .test.ts)'`,
  controllers: `-a 'get post put patch delete (__fw_controllers)'`,
  nothing: '',
} as const
const fishSource = (value: Candidates): string =>
  typeof value === 'string' ? fishSources[value] : `-a ${fishQuote(value.join(' '))}`

function fishLines({ names, description, options, firstArgument }: CompletedCommand): string {
  const seen = `complete -c fw -n ${fishQuote(`__fish_seen_subcommand_from ${names.join(' ')}`)}`
  const command = `complete -c fw -n __fish_use_subcommand -a ${fishQuote(names.join(' '))} -d ${fishQuote(description)}\n`
  const argument = firstArgument === 'nothing' ? '' : `${seen} ${fishSource(firstArgument)}\n`
  const flags = options.map((option) => {
    const short = option.short === undefined ? '' : ` -s ${option.short.slice(1)}`
    const value = option.value === undefined ? '' : ` -r ${fishSource(option.value)}`.trimEnd()
    return `${seen}${short} -l ${option.long.slice(2)}${value} -d ${fishQuote(option.description)}\n`
  })
  return command + argument + flags.join('')
}

const fishScript = (commands: readonly CompletedCommand[]): string =>
  `# Completion of fw for fish: fw completion fish > ~/.config/fish/completions/fw.fish
function __fw_controllers
  for file in src/main/controller/*-controller.ts
    string replace -r '.*/(.*)-controller\\.ts$' '$1' -- $file
  end
end

complete -c fw -f
${commands.map(fishLines).join('')}`

const scripts: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** Returns the completion script for `shell`, which must be one of `shells`. */
export const completionScript = (shell: string, program: Command): string =>
  scripts[shell]!(describeCommands(program))

export function printCompletion(shell: string, _options: object, command: Command): void {
  process.stdout.write(completionScript(shell, command.parent!))
}
