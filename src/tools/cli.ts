/** cli: fw: run, test, check, routes, db:migrate, db:rollback, db:status. */
export { fw } from './cli/program.ts'
