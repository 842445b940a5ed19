/** The commands that change or look at the database. */
import type { Command } from 'commander'
import { addApplicationCommand, jsonOption } from './add-command.ts'
import {
  dumpDatabase,
  migrateDatabase,
  rollbackDatabase,
  seedDatabase,
  showMigrations,
} from './migrations.ts'

/** `db:migrate`, `db:rollback`, `db:status`, `db:seed`, `db:dump`. */
export function addDatabaseCommands(program: Command): void {
  program.commandsGroup('Database:')
  addApplicationCommand(program, {
    name: 'db:migrate',
    description: 'apply the migrations that are pending',
    examples: [
      ['fw db:migrate', 'in the database of development'],
      ['FW_ENV=production fw db:migrate', 'in that of production'],
    ],
  })
    .option(...jsonOption)
    .action(migrateDatabase)
  addApplicationCommand(program, {
    name: 'db:rollback',
    description: 'take back the last migration',
    examples: [
      ['fw db:rollback', 'the last one'],
      ['fw db:rollback --steps 3', 'the last three'],
    ],
  })
    .option('--steps <number>', 'how many', '1')
    .option(...jsonOption)
    .action(rollbackDatabase)
  addApplicationCommand(program, {
    name: 'db:status',
    description: 'list the migrations',
    examples: [['fw db:status', 'which are applied, pending, changed or missing']],
  })
    .option(...jsonOption)
    .action(showMigrations)
  addApplicationCommand(program, {
    name: 'db:seed',
    description: 'run db/seed.sql and db/seed.ts',
    examples: [['fw db:seed', 'the rows that the application starts with']],
  })
    .option(...jsonOption)
    .action(seedDatabase)
  addApplicationCommand(program, {
    name: 'db:dump',
    description: 'write the schema to db/schema.sql',
    examples: [['fw db:dump', 'to read, to compare, or to commit']],
  })
    .option(...jsonOption)
    .action(dumpDatabase)
}
