/** What a shell can complete of `fw`: the program's commands and options, and where their values come from. */
import type { Argument, Command, Option } from 'commander'
import { generators } from '../generate.ts'

/** Where a value comes from: a closed list, the shell's own names of files, or nothing that could be known. */
export type Completed =
  | { readonly from: 'words'; readonly words: readonly string[] }
  | { readonly from: 'folders' | 'files' | 'tests' | 'controllers' | 'nothing' }

/** An option without a value has no `value`. */
export interface CompletedOption {
  readonly long: string
  readonly short: string | undefined
  readonly description: string
  readonly value: Completed | undefined
}

/** A command under all its names. */
export interface CompletedCommand {
  readonly names: readonly string[]
  readonly description: string
  readonly options: readonly CompletedOption[]
  /** Of its first argument. */
  readonly first: Completed
  /** Of the others. */
  readonly rest: Completed
}

const nothing: Completed = { from: 'nothing' }

/** By the names that arguments and the values of options have in the help. */
const sources: Readonly<Record<string, Completed>> = {
  folder: { from: 'folders' },
  files: { from: 'tests' },
  file: { from: 'files' },
  search: { from: 'controllers' },
  resources: { from: 'controllers' },
  'version|tarball': { from: 'files' },
  generator: { from: 'words', words: generators.map(({ name }) => name) },
}

function argumentSource(argument: Argument | undefined, commands: readonly string[]): Completed {
  if (argument === undefined) return nothing
  if (argument.argChoices !== undefined) return { from: 'words', words: argument.argChoices }
  if (argument.name() === 'command') return { from: 'words', words: commands }
  return sources[argument.name()] ?? nothing
}

function optionOf({ long, short, flags, description }: Option): CompletedOption {
  const value = /[<[](.+)[>\]]$/.exec(flags)?.[1]
  return {
    long: long!,
    short,
    description,
    value: value === undefined ? undefined : (sources[value] ?? nothing),
  }
}

/** Every command of the program, `help` among them. */
export function completedCommands(program: Command): readonly CompletedCommand[] {
  const help = program.createHelp()
  const commands = help.visibleCommands(program)
  const names = commands.map((command) => command.name())
  return commands.map((command) => {
    const [first, second] = command.registeredArguments
    return {
      names: [command.name(), ...command.aliases()],
      description: command.description(),
      options: help.visibleOptions(command).map(optionOf),
      first: argumentSource(first, names),
      rest: argumentSource(first?.variadic === true ? first : second, names),
    }
  })
}
