/** Adds a command to the program: its words, its examples, the options that many share. */
import type { Command } from 'commander'

/** What the help says of a command. */
export interface CommandWords {
  readonly name: string
  readonly description: string
  /** Command lines, each with what it does. */
  readonly examples: readonly (readonly [line: string, meaning: string])[]
  /** What stands between the options and the examples. */
  readonly more?: () => string
}

/** A command that needs no application. */
export function addCommand(program: Command, words: CommandWords): Command {
  const { name, description, examples, more } = words
  const width = Math.max(...examples.map(([line]) => line.length))
  const lines = examples.map(([line, meaning]) => `  ${line.padEnd(width)}  ${meaning}\n`)
  const command = program
    .command(name)
    .description(description)
    .showHelpAfterError(`(fw ${name} --help shows its options)`)
  if (more !== undefined) command.addHelpText('after', more)
  return command.addHelpText('after', `\nExamples:\n${lines.join('').trimEnd()}`)
}

/** A command that works on the application in a folder. */
export function addApplicationCommand(program: Command, words: CommandWords): Command {
  return addCommand(program, words).option('--app <folder>', "the application's folder", '.')
}

/** For what a program may read. */
export const jsonOption = ['--json', 'one JSON document'] as const
