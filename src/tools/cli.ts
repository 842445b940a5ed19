/** cli: the command `fw` with its subcommands, such as `fw run`, `fw test` and `fw db:migrate`. */
export { fw } from './cli/program.ts'
