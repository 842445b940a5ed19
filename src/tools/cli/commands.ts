/** The definitions of all commands of `fw`. The code of a command is imported when the command runs. */

/** The function of a command. Commander calls it with the command-line arguments, followed by the options. */
export type Action = (...args: any[]) => unknown

/** An argument or option as printed in the help, such as `--port <number>`, with its description and default. */
type Term = readonly [term: string, description: string, fallback?: string]

interface CommandDefinition {
  readonly aliases?: readonly string[]
  readonly description: string
  readonly examples: readonly (readonly [line: string, meaning: string])[]
  readonly arguments?: readonly Term[]
  readonly options?: readonly Term[]
  /** False for a command that needs no application, and therefore has no option `--app`. */
  readonly hasApplication?: false
  readonly allowsUnknownOptions?: true
  /** Returns the help text that precedes the examples. */
  readonly help?: () => Promise<string>
  readonly load: () => Promise<Action>
}

export type NamedCommand = CommandDefinition & { readonly name: string }

type Commands = Readonly<Record<string, CommandDefinition>>

export const shells: readonly string[] = ['bash', 'zsh', 'fish']

const json: Term = ['--json', 'one JSON document']
const port: Term = ['--port <number>', 'the port, else FW_PORT, else PORT, else 8080']
const output: Term = ['--output <file>', 'write to this file instead of stdout']
const write: readonly Term[] = [
  ['--force', 'overwrite files that differ'],
  ['--pretend', 'write nothing, and show what would be written'],
  json,
]
const databaseName: Term = ['--database <name>', 'a database of the configuration', 'default']
const generator: Pick<CommandDefinition, 'options' | 'help'> = {
  options: [
    ...write,
    ['--parent <resources>', 'the resource that contains this one, such as companies'],
    ['--scope <model>', 'the owner of the records, such as user: visitors reach only their own'],
    ['--distributed-by <model>', 'like --scope; Citus also distributes the table by the owner'],
    databaseName,
    ['--through', 'a model that joins the two models which it references'],
    ['--key <column>', 'the column that identifies the rows of a view'],
    ['--no-totp', 'accounts without a second factor'],
    ['--no-passkeys', 'accounts without passkeys'],
    ['--no-api-tokens', 'accounts without tokens for programs'],
    ['--over <table>', 'accounts in an existing table, such as users'],
    ['--behind <range>', 'the addresses of a proxy that ends TLS in front of the deployed nginx'],
  ],
  help: async () => (await import('./generate-files.ts')).generatorHelp(),
}

const develop: Commands = {
  run: {
    aliases: ['serve', 'dev', 's'],
    description: 'serve the application for development',
    examples: [
      ['fw run', 'at http://127.0.0.1:8080'],
      ['fw run --port 3000 --host 0.0.0.0', 'for the other machines of the network'],
    ],
    options: [
      port,
      [
        '--host <address>',
        'the address to listen on; 0.0.0.0 opens it to the network',
        '127.0.0.1',
      ],
      ['--sql', 'log each statement with its duration, without values'],
      ['--no-check', 'do not check types and templates after a save'],
    ],
    load: async () => (await import('./development-server.ts')).run,
  },
  test: {
    description: "run the application's tests",
    examples: [
      ['fw test', 'all tests'],
      ['fw test src/test/controller/members.test.ts', 'one file'],
      ['fw test --test-only --watch', 'options of node --test are passed on'],
    ],
    arguments: [['[files...]', 'test files, else all below src/test']],
    allowsUnknownOptions: true,
    load: async () => (await import('./test.ts')).test,
  },
  'test:from-error': {
    description: 'write a test that fails as a request did under fw run',
    examples: [
      ['fw test:from-error', 'from the last error'],
      ['fw test:from-error LNJNTPKWeIhshmDH', 'from the error with this request id'],
      ['fw test:from-error --json', '{ files, omitted, tried: { result, reason } }'],
    ],
    arguments: [['[id]', "the request's id"]],
    options: [
      ['--no-run', 'do not run the test'],
      ['--force', 'overwrite a test that differs'],
      ['--pretend', 'write nothing, and show what would be written'],
      json,
    ],
    load: async () => (await import('./test-from-error.ts')).testFromError,
  },
  check: {
    description: 'check the types of code and templates',
    examples: [
      ['fw check', 'exits with 1 when there is a mistake'],
      ['fw check --watch', 'again after each change'],
      ['fw check --fix', 'corrects what has one right form'],
      ['fw check --json', '[{ file, line, column, code, message, frame, fix, severity }]'],
    ],
    options: [
      json,
      ['--watch', 'check again after each change'],
      ['--fix', 'correct the mistakes of templates that have one right form'],
    ],
    load: async () => (await import('./check.ts')).check,
  },
  format: {
    description: 'write the code of templates in one form, without a change of what they print',
    examples: [
      ['fw format', 'all templates'],
      ['fw format src/main/webapp/WEB-INF/views/members/index.html.ssp', 'one file'],
      ['fw format --check', 'writes nothing, and exits with 1 if a template is not formatted'],
    ],
    arguments: [['[files...]', 'templates, else all of the application']],
    options: [['--check', 'write nothing, and list the templates that are not formatted'], json],
    load: async () => (await import('./format.ts')).format,
  },
  lsp: {
    description:
      'serve templates to an editor, by the Language Server Protocol on stdin and stdout',
    examples: [['fw lsp', 'editors start it; see docs/editors.md']],
    load: async () => (await import('./lsp.ts')).lsp,
  },
  routes: {
    description: 'list the routes and the filters that run around them',
    examples: [
      ['fw routes', 'method, path, name, action, and the filters of each controller'],
      ['fw routes members get', 'the routes that match both words'],
      ['fw routes get /members/5', 'the routes that match this URL, in the order they are tried'],
      ['fw routes /admin --filters', 'with every filter of each route, in order'],
      ['fw routes --json', 'for programs'],
    ],
    arguments: [['[search...]', 'methods, URLs, or parts of paths, names, actions, controllers']],
    options: [['--filters', "every filter, Fw's own included"], json],
    load: async () => (await import('./show-routes.ts')).showRoutes,
  },
  console: {
    description: "evaluate TypeScript with the application's models and helpers",
    examples: [
      ['fw console', 'models, routes, app, db, permitValues, sql, t and url are defined'],
      ['fw console --sandbox', 'all writes are rolled back at the end'],
      ["echo 'await Member.count()' | fw console", 'lines from a program'],
    ],
    options: [['--sandbox', 'run everything in one transaction, rolled back at the end']],
    load: async () => (await import('./console.ts')).startConsole,
  },
  runner: {
    description: 'run a script with the application and its database, without a server',
    examples: [
      ['fw runner scripts/import.ts', 'checks its types, then runs it'],
      [
        'fw runner scripts/import.ts members.csv --dry-run',
        'process.argv.slice(2) has the arguments',
      ],
      ['FW_ENV=production fw runner scripts/import.ts', 'without a check of types'],
    ],
    arguments: [
      ['<script>', "a file, relative to the application's folder"],
      ['[arguments...]', 'arguments of the script'],
    ],
    options: [['--no-check', 'do not check types and templates first']],
    allowsUnknownOptions: true,
    load: async () => (await import('./runner.ts')).runScript,
  },
  doctor: {
    description: 'find common mistakes of a setup, with a remedy for each',
    examples: [
      ['fw doctor', 'packages, settings, database, types, git, disk, port'],
      ['fw doctor --production', 'on a server, before its first start'],
      ['fw doctor --json', '{ ok, findings: [{ topic, state, text, mend }] }'],
    ],
    options: [['--production', 'check as if FW_ENV were production'], json],
    load: async () => (await import('./doctor.ts')).doctor,
  },
}

const generate: Commands = {
  new: {
    description: 'write a new application',
    examples: [
      ['fw new shop', 'into the folder shop'],
      ['fw new shop --api --git', 'without pages, in a git repository'],
      ['fw new laden --language de', 'texts in German'],
      ['fw new shop --pretend', 'what would be written'],
    ],
    hasApplication: false,
    arguments: [['<folder>', "the application's folder; its last part becomes the name"]],
    options: [
      ...write,
      ['--api', 'JSON only, no pages'],
      ['--database <url>', 'a PostgreSQL server for development, else embedded; written to .env'],
      ['--language <code>', 'the language of the texts: en, ar, de, es, fr, it, ja, nl or pt'],
      ['--git', 'create a git repository'],
      ['--ask', 'ask for the choices that are not given'],
      ['--fwjs <version|tarball>', 'the fwjs it depends on, else the one that runs'],
    ],
    load: async () => (await import('./new-application.ts')).newApplication,
  },
  generate: {
    aliases: ['g'],
    description: 'write code: scaffold, controller, model, …',
    examples: [
      ['fw g scaffold members member name:String birthday:LocalDate', 'a whole tested resource'],
      [
        'fw g scaffold members member name:String --parent companies',
        'at /companies/:companyId/members',
      ],
      ['fw g model company name:String', 'a model, its migration and its factory'],
      ['fw g model post_tag post:references tag:references --through', 'a join table'],
      [
        'fw g authentication',
        'accounts; --no-totp, --no-passkeys and --no-api-tokens leave parts out',
      ],
      ['fw g scaffold members member name:String --pretend', 'what would be written'],
    ],
    arguments: [
      ['[generator]', 'what to write; without one, the generators are listed'],
      ['[words...]', 'names and fields, as the generator takes them'],
    ],
    ...generator,
    load: async () => (await import('./generate-files.ts')).generateFiles,
  },
  destroy: {
    aliases: ['d'],
    description: 'remove what generate wrote',
    examples: [
      ['fw d scaffold members member name:String', 'files that were edited since stay'],
      ['fw d model company --pretend', 'what would be removed'],
    ],
    arguments: [
      ['[generator]', 'what to remove; without one, the generators are listed'],
      ['[words...]', 'the words it was written with'],
    ],
    ...generator,
    load: async () => (await import('./generate-files.ts')).destroyFiles,
  },
}

const describe: Commands = {
  openapi: {
    description: 'write the OpenAPI 3.1 document of the routes',
    examples: [
      ['fw openapi', 'to stdout; fw run serves it as /openapi.json, with a page at /openapi'],
      ['fw openapi --output openapi.yaml', 'YAML, by the name of the file'],
      ['fw openapi --output src/main/webapp/openapi.json', 'as a public file'],
    ],
    options: [output, ['--yaml', 'YAML instead of JSON']],
    load: async () => (await import('./write-openapi.ts')).writeOpenApi,
  },
  client: {
    description: 'write a typed client of the routes, in one file of TypeScript',
    examples: [
      ['fw client --output ../web/src/api.ts', 'depends on nothing but fetch'],
      ['fw client | diff - ../web/src/api.ts', 'whether the client is up to date'],
    ],
    options: [output],
    load: async () => (await import('./write-openapi.ts')).writeClient,
  },
}

const force: Term = ['--force', 'also in production']

const database: Commands = {
  'db:create': {
    description: 'create the database, unless it exists',
    examples: [['fw db:create', 'on the server of DATABASE_URL, or the embedded one']],
    options: [json],
    load: async () => (await import('./rebuild-database.ts')).createDatabase,
  },
  'db:drop': {
    description: 'drop the database with all of its rows',
    examples: [['fw db:drop', 'production needs --force']],
    options: [force, json],
    load: async () => (await import('./rebuild-database.ts')).dropDatabase,
  },
  'db:reset': {
    description: 'empty the database, apply all migrations, run the seeds',
    examples: [['fw db:reset', 'production needs --force']],
    options: [force, json],
    load: async () => (await import('./rebuild-database.ts')).resetDatabase,
  },
  'db:redo': {
    description: 'roll back the last migration and apply it again',
    examples: [['fw db:redo --steps 2', 'the last two']],
    options: [['--steps <number>', 'how many', '1'], databaseName, json],
    load: async () => (await import('./database-commands.ts')).redoMigrations,
  },
  'db:migrate': {
    description: 'apply pending migrations',
    examples: [
      ['fw db:migrate', 'to the development database'],
      ['FW_ENV=production fw db:migrate', 'to the production database'],
    ],
    options: [databaseName, json],
    load: async () => (await import('./database-commands.ts')).migrateDatabase,
  },
  'db:rollback': {
    description: 'roll back the last migration',
    examples: [
      ['fw db:rollback', 'the last one'],
      ['fw db:rollback --steps 3', 'the last three'],
    ],
    options: [['--steps <number>', 'how many', '1'], databaseName, json],
    load: async () => (await import('./database-commands.ts')).rollbackDatabase,
  },
  'db:status': {
    description: 'list the migrations',
    examples: [['fw db:status', 'which are applied, pending, changed or missing']],
    options: [databaseName, json],
    load: async () => (await import('./database-commands.ts')).showMigrations,
  },
  'db:seed': {
    description: 'run db/seed.sql and db/seed.ts, then those of the environment',
    examples: [['fw db:seed', 'db/seed.ts, then db/seed.development.ts']],
    options: [json],
    load: async () => (await import('./database-commands.ts')).seedDatabase,
  },
  'db:squash': {
    description: 'replace all migrations by one baseline with their structure',
    examples: [['fw db:squash', 'databases that have all of them count it as applied']],
    options: [databaseName, json],
    load: async () => (await import('./squash-migrations.ts')).squashMigrations,
  },
  'db:dump': {
    description: 'write the schema to db/schema.sql',
    examples: [['fw db:dump', 'to read, to compare, or to commit']],
    options: [databaseName, json],
    load: async () => (await import('./database-commands.ts')).dumpDatabase,
  },
}

const production: Commands = {
  build: {
    description: 'generate and check everything that production needs',
    examples: [['fw build', 'exits with 1 when there is a mistake']],
    options: [json],
    load: async () => (await import('./check.ts')).build,
  },
  start: {
    description: 'serve the application in production, from the output of fw build',
    examples: [
      ['fw start', 'on port 8080 of every address'],
      ['PORT=80 fw start --host 127.0.0.1', 'behind a proxy on the same machine'],
      ['fw start --workers auto', 'a process for each core; SIGHUP replaces them one by one'],
    ],
    options: [
      port,
      ['--host <address>', 'the address to listen on', '0.0.0.0'],
      ['--workers <number|auto>', 'processes that share the port; auto: one for each core'],
      ['--worker-memory <MiB>', 'replace a worker that uses more memory'],
      ['--worker-timeout <seconds>', 'replace a worker whose event loop blocks for longer', '30'],
    ],
    load: async () => (await import('./start.ts')).start,
  },
  jobs: {
    description: 'run jobs in a process of their own',
    examples: [
      ['fw jobs', 'all queues; several processes share them'],
      ['fw jobs --queues default,slow', 'only these'],
      ['fw jobs --port 8081', 'with /up and /ready for probes'],
    ],
    options: [
      ['--queues <names>', 'the only queues, separated by commas'],
      ['--port <number>', 'a port for probes'],
      ['--host <address>', 'the address of that port', '0.0.0.0'],
    ],
    load: async () => (await import('./jobs.ts')).runJobProcess,
  },
  secret: {
    description: 'print a new secret for production',
    examples: [
      ['fw secret', '48 random bytes'],
      ['export SECRET_KEY_BASE="$(fw secret)"', 'the variable that a new application reads'],
    ],
    hasApplication: false,
    load: async () => {
      const { randomBytes } = await import('node:crypto')
      // Use base64url, which needs no quotes in YAML, in a shell or in an environment file.
      return () => process.stdout.write(`${randomBytes(48).toString('base64url')}\n`)
    },
  },
}

const help: Commands = {
  docs: {
    description: 'serve the documentation of this version, with its search, without a network',
    examples: [
      ['fw docs', 'at http://127.0.0.1:8081'],
      ['fw docs --output ../site', 'writes static files for any web server'],
    ],
    hasApplication: false,
    options: [
      ['--port <number>', 'the port', '8081'],
      ['--host <address>', 'the address to listen on', '127.0.0.1'],
      ['--output <folder>', 'write the site to this folder instead of serving it'],
    ],
    load: async () => (await import('./docs.ts')).serveDocs,
  },
  completion: {
    description: 'print the completion script of a shell',
    examples: [
      ['source <(./fw completion bash)', 'in this shell; in ~/.bashrc for every shell'],
      ['source <(./fw completion zsh)', 'in ~/.zshrc, after compinit'],
      ['./fw completion fish > ~/.config/fish/completions/fw.fish', 'once'],
    ],
    hasApplication: false,
    arguments: [['<shell>', 'the shell']],
    load: async () => (await import('./completion.ts')).printCompletion,
  },
}

/** All commands, grouped under the headings of the help, in the help's order. */
export const commandGroups = Object.entries({
  'Develop:': develop,
  'Generate:': generate,
  'Describe:': describe,
  'Database:': database,
  'Production:': production,
  'Help:': help,
}).map(([heading, commands]) => {
  const named = Object.entries(commands).map(([name, command]) => ({ name, ...command }))
  return [heading, named satisfies NamedCommand[]] as const
})
