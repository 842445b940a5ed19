/** The completion script for bash, 3.2 (of macOS) among them. */
import type { Completed, CompletedCommand } from './completion-words.ts'

const list = (words: readonly string[]): string => `_fw_words '${words.join(' ')}'`

const callFor = (value: Completed): string =>
  value.from === 'words' ? list(value.words) : `_fw_${value.from}`

const flagsOf = ({ options }: CompletedCommand): string[] =>
  options.flatMap(({ long, short }) => (short === undefined ? [long] : [long, short]))

function argumentCall({ first, rest }: CompletedCommand): string {
  const [one, others] = [callFor(first), callFor(rest)]
  return one === others ? one : `if [ $at -eq 2 ]; then ${one}; else ${others}; fi`
}

/** What completes the values of a command's options, then its arguments. */
function caseOf(command: CompletedCommand): string {
  const values = command.options
    .filter(({ value }) => value !== undefined)
    .map(({ long, value }) => `        ${long},*) ${callFor(value!)} ;;\n`)
  return `    ${command.names.join(' | ')})
      case $previous,$current in
${values.join('')}        *,-*) ${list(flagsOf(command))} ;;
        *) ${argumentCall(command)} ;;
      esac
      ;;
`
}

/** To be sourced. The words are taken from the line itself: bash ends a word at the colon of `db:migrate`. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  return `# Completion of fw for bash. In ~/.bashrc: source <(fw completion bash)
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
    ${list([...commands.flatMap(({ names }) => names), '--help', '--version'])}
  else
    case \${typed[1]} in
${commands.map(caseOf).join('')}    esac
  fi

  # Bash puts the answer behind the last colon.
  case $COMP_WORDBREAKS in
    *:*)
      local colon=\${current%"\${current##*:}"}
      for at in "\${!COMPREPLY[@]}"; do COMPREPLY[at]=\${COMPREPLY[at]#"$colon"}; done
      ;;
  esac
}
complete -F _fw fw
`
}
