/** The commands about the command line itself. */
import { Argument, type Command } from 'commander'
import { addCommand } from './add-command.ts'
import { completionScript, shells } from './completion.ts'

/** `completion` and `help`. */
export function addShellCommands(program: Command): void {
  program.commandsGroup('Help:')
  addCommand(program, {
    name: 'completion',
    description: 'print the script by which a shell completes fw',
    examples: [
      ['source <(./fw completion bash)', 'in this shell; in ~/.bashrc for every one'],
      ['source <(./fw completion zsh)', 'in ~/.zshrc, after compinit'],
      ['./fw completion fish > ~/.config/fish/completions/fw.fish', 'once'],
    ],
  })
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .action((shell: string) => void process.stdout.write(completionScript(shell, program)))
  program.helpCommand('help [command]', 'help for a command')
}
