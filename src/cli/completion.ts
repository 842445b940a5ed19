/** `fw completion`: the script by which a shell completes commands, options, generators, files and controllers. */
import type { Command } from 'commander'
import { bashCompletion } from './completion-bash.ts'
import { fishCompletion } from './completion-fish.ts'
import { completedCommands, type CompletedCommand } from './completion-words.ts'
import { zshCompletion } from './completion-zsh.ts'

const scripts: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}

/** The shells that there is a script for. */
export const shells: readonly string[] = Object.keys(scripts)

/** The script of one of `shells`. */
export function completionScript(shell: string, program: Command): string {
  return scripts[shell]!(completedCommands(program))
}
