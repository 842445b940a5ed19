/** Provoked mistakes: each text says what is wrong, where, and how to mend it. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { applicationSettings, openApplicationDatabase } from '../../src/runtime/app.ts'
import { silentLogger } from '../../src/runtime/base.ts'
import { Configuration, FwEnv, loadConfiguration, readSettings } from '../../src/runtime/config.ts'
import {
  migrate,
  openDatabase,
  rollback,
  UnavailableError,
  type Database,
} from '../../src/runtime/db.ts'
import { SocketListener } from '../../src/runtime/server.ts'
import { formatDiagnostic } from '../../src/templates/check.ts'
import { checkApplication } from '../../src/tools/cli/check.ts'
import { listenPort } from '../../src/tools/cli/load-application.ts'
import { fw } from '../../src/tools/cli/program.ts'
import { describeSystemFailure } from '../../src/tools/cli/system-failure.ts'
import { generateApplication, writeFiles } from '../../src/tools/generate.ts'
import { fwCommand, visibleEnvironment } from '../support/environment.ts'

let root: string
let database: Database
let checked = ''

/** Relative to the application. */
function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

async function messageOf(work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (error) {
    return (error as Error).message
  }
  return 'no error'
}

/** What a command prints. */
async function say(...args: readonly string[]): Promise<string> {
  let output = ''
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => (output += String(text)) !== '')
  await fw(args)
  vi.restoreAllMocks()
  process.exitCode = undefined
  return output
}

const settings = (text: string, env = 'test') => {
  write('src/main/resources/application.yml', text)
  return messageOf(() => readSettings(loadConfiguration({ root, env }), applicationSettings))
}

/** Applies one migration to an empty folder. */
async function apply(file: string, text: string, back = false): Promise<string> {
  const folder = mkdtempSync(join(root, 'migration-'))
  writeFileSync(join(folder, file), text)
  return messageOf(async () => {
    await migrate(database, folder)
    if (back) await rollback(database, folder)
  })
}

const failure = (code: string, message: string) => Object.assign(new Error(message), { code })
const unreachable = (code: string, message: string) =>
  new UnavailableError(failure(code, message), {
    url: 'postgres://ann@db.example:5432/shop',
    urlSetting: 'DATABASE_URL',
    poolSize: 10,
  }).message

function open(env: string, url = ''): Promise<string> {
  vi.stubEnv('DATABASE_URL', url)
  write('src/main/resources/application.yml', '')
  const configuration = Configuration.from({}, new FwEnv(env))
  return messageOf(() => openApplicationDatabase({ root, configuration, logger: silentLogger }))
}

function openFolder(file: string, folder: string): Promise<string> {
  write(file, 'x')
  return messageOf(() => openDatabase({ kind: 'pglite', folder: join(root, folder) }))
}

async function openTwice(): Promise<string> {
  const folder = join(root, 'own')
  const first = await openDatabase({ kind: 'pglite', folder })
  const message = await messageOf(() => openDatabase({ kind: 'pglite', folder }))
  await first.close()
  return message
}

function onNode(version: string): string {
  const pretend = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`
  const args = ['--import', pretend, ...fwCommand, 'run']
  return spawnSync(process.execPath, args, { env: visibleEnvironment(), encoding: 'utf8' }).stderr
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'fw-mistakes-'))
  writeFiles(root, generateApplication({ name: 'shop', fwjs: '0.1.0' }))
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
  database = await openDatabase({ kind: 'pglite', folder: 'memory' })
  const view = (name: string, text: string) =>
    write(`src/main/webapp/WEB-INF/views/mistakes/${name}.html.ssp`, `<p>\n${text}\n</p>\n`)
  view('name', '${nowhere}')
  view('block', '#if (true)')
  view('key', "${s.i18n.get('site.tilte')}")
  view('url', '${s.url(routes.root.idnexUrl)}')
  write(
    'src/main/controller/mistakes-controller.ts',
    [
      "import { routes } from 'fwjs'",
      "import { ApplicationController } from './application-controller.ts'",
      'class MistakesController extends ApplicationController {',
      "  index() { return this.render('/root/indx', {}) }",
      "  show() { return this.i18n.get('nowhere') }",
      '}',
      "export const mistakes = routes(MistakesController, (r) => ({ index: r.get('/m', 'indx') }))",
      '',
    ].join('\n'),
  )
  write('src/main/resources/messages_de.yml', "site:\n  title: '{count, plural, one {x}'\n")
  const { diagnostics } = await checkApplication(root)
  checked = diagnostics.map(formatDiagnostic).join('\n')
  rmSync(join(root, 'src/main/webapp/WEB-INF/views/mistakes'), { recursive: true })
  rmSync(join(root, 'src/main/resources/messages_de.yml'))
  rmSync(join(root, 'src/main/controller/mistakes-controller.ts'))
}, 120_000)
afterAll(async () => {
  await database.close()
  rmSync(root, { recursive: true, force: true })
})
beforeEach(() => {
  vi.stubEnv('DATABASE_URL', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const view = (name: string): string =>
  checked
    .split('\n')
    .filter((line) => line.includes(`mistakes/${name}.html`))
    .join('\n')
/** The mistake in this line, with the lines of its text. */
function code(line: number): string {
  const lines = checked.split('\n')
  const at = lines.findIndex((text) => text.includes(`mistakes-controller.ts:${line}:`))
  return lines.slice(at, at + 3).join('\n')
}

/** A generated application without its variables. */
async function inProduction(): Promise<string> {
  vi.stubEnv('FW_ENV', 'production')
  for (const name of ['SECRET_KEY_BASE', 'HOSTS']) vi.stubEnv(name, '')
  write(
    'src/main/resources/application.yml',
    'production:\n  secretKeyBase: ${SECRET_KEY_BASE:-}\n  server:\n    hosts: ${HOSTS:-}\n',
  )
  const output = await say('routes', '--app', root)
  write('src/main/resources/application.yml', '')
  return output
}

/** Listens on a port that another process may use. */
async function listenTwice(): Promise<string> {
  const [first, second] = [new SocketListener(() => {}), new SocketListener(() => {})]
  const { port } = await first.listen(0)
  const message = await messageOf(() => second.listen(port))
  first.close()
  return message
}

/** Generates a model as a user who may not write there; root may write everywhere. */
async function writeWithoutPermission(): Promise<string> {
  const folder = join(root, 'src/main/model')
  for (const each of [root, folder]) chmodSync(each, 0o555)
  if (process.getuid!() === 0) process.seteuid!(65_534)
  const output = await say('g', 'model', 'note', 'text:String', '--app', root)
  if (process.getuid!() === 0) process.seteuid!(0)
  for (const each of [root, folder]) chmodSync(each, 0o755)
  return output
}

/** Prints to a full disk, which Linux has as a device. */
function printOnFullDisk(): string {
  const args = [...fwCommand, 'routes', '--app', root]
  const full = openSync('/dev/full', 'w')
  const { stderr } = spawnSync(process.execPath, args, {
    env: visibleEnvironment(),
    encoding: 'utf8',
    stdio: ['ignore', full, 'pipe'],
  })
  closeSync(full)
  return stderr
}

interface Mistake {
  readonly name: string
  readonly text: () => string | Promise<string>
  readonly what: RegExp
  /** File and line, setting, command or address. */
  readonly where: RegExp
  readonly mend: RegExp
}

const yml = /resources\/application\.yml:\d+:\d+ /

const mistakes: readonly Mistake[] = [
  {
    name: 'code: an unknown action',
    text: () => code(7),
    what: /There is no action 'indx'/,
    where: /:7:81 /,
    mend: /did you mean 'index'\?/,
  },
  {
    name: 'code: an unknown view',
    text: () => code(4),
    what: /no view '\/root\/indx'/,
    where: /:4:32 /,
    mend: /did you mean '\/root\/index'\?/,
  },
  {
    name: 'code: an unknown message',
    text: () => code(5),
    what: /no message 'nowhere'/,
    where: /:5:33 /,
    mend: /: add nowhere to src\/main\/resources\/messages\.yml, or correct the key\. /,
  },
  {
    name: 'view: an unknown name',
    text: () => view('name'),
    what: /Cannot find name 'nowhere'/,
    where: /^src\/main\/webapp\/WEB-INF\/views\/mistakes\/name\.html\.ssp:2:3 /,
    mend: /Declare it with <%@val nowhere: string %>, or correct the name/,
  },
  {
    name: 'view: an open block',
    text: () => view('block'),
    what: /This #if has no #end/,
    where: /block\.html\.ssp:2:1 /,
    mend: /write #end after the last line that belongs to it/,
  },
  {
    name: 'view: a misspelt message',
    text: () => view('key'),
    what: /no message 'site\.tilte'/,
    where: /key\.html\.ssp:2:14 /,
    mend: /did you mean 'site\.title'\?/,
  },
  {
    name: 'view: a misspelt route',
    text: () => view('url'),
    what: /There is no route 'idnexUrl'/,
    where: /url\.html\.ssp:2:21 /,
    mend: /did you mean 'indexUrl'\?/,
  },
  {
    name: 'messages: a text that is no ICU message',
    text: () => checked,
    what: /site\.title: the text cannot be read as a message/,
    where: /messages_de\.yml:2:10 /,
    mend: /write it like \{count, plural, one /,
  },
  {
    name: 'config: an open list',
    text: () => settings('server:\n  hosts: [a\n'),
    what: /this list does not end/,
    where: /application\.yml:2:10 /,
    mend: /write \] after its last item/,
  },
  {
    name: 'config: a tab',
    text: () => settings('server:\n\thosts: a\n'),
    what: /a tab indents this line/,
    where: yml,
    mend: /use spaces/,
  },
  {
    name: 'config: an unknown key',
    text: () => settings('sever:\n  hosts: a\n'),
    what: /unknown key sever/,
    where: yml,
    mend: /did you mean server\?/,
  },
  {
    name: 'config: a wrong type',
    text: () => settings('limits: { body: many }\n'),
    what: /limits\.body is "many"/,
    where: yml,
    mend: /such as 512, 10KiB or 1MiB/,
  },
  {
    name: 'config: a refused value',
    text: () => settings('validation: { status: 401 }\n'),
    what: /status is "401"/,
    where: yml,
    mend: /must be 400 or 422/,
  },
  {
    name: 'config: a value outside the list',
    text: () => settings('log: { level: loud }\n'),
    what: /log\.level is "loud"/,
    where: yml,
    mend: /one of debug, info, warn, error/,
  },
  {
    name: 'config: a variable that is not set',
    text: () => settings('secretKeyBase: ${NOWHERE_SET}\n'),
    what: /NOWHERE_SET is not set/,
    where: yml,
    mend: /set it, or write \$\{NOWHERE_SET:-default\}/,
  },
  {
    name: 'config: a key twice',
    text: () => settings('server: { hosts: a }\nserver: { hosts: b }\n'),
    what: /server occurs twice in its section, first in line 1/,
    where: /application\.yml:2:1 /,
    mend: /keep one of them/,
  },
  {
    name: 'config: no secret in production',
    text: inProduction,
    what: /secretKeyBase has no value: At least 32 random bytes/,
    where: /application\.yml:2:\d+ +secretKeyBase/,
    mend: /secretKeyBase has no value.*\n +Run \.\/fw secret, and set the environment variable SECRET_KEY_BASE to its output/,
  },
  {
    name: 'config: no hosts in production',
    text: inProduction,
    what: /server\.hosts has no value: The accepted host names/,
    where: /application\.yml:4:\d+ +server\.hosts/,
    mend: /server\.hosts has no value.*\n +Set the environment variable HOSTS to the host names, such as www/,
  },
  {
    name: 'config: an unknown environment',
    text: () => messageOf(() => loadConfiguration({ root, env: 'prodution' })),
    what: /"prodution" of FW_ENV is unknown/,
    where: /FW_ENV .*application\.yml/,
    mend: /did you mean production\?/,
  },
  {
    name: 'migration: a wrong type',
    text: () => apply('V1__a.sql', 'create table a (\n  id serial,\n  text varchr(3)\n)'),
    what: /type "varchr" does not exist/,
    where: /\/V1__a\.sql:3 failed/,
    mend: /It changed nothing\. Correct the file, then run \.\/fw db:migrate\.$/,
  },
  {
    name: 'migration: an unknown table',
    text: () => apply('V4__d.sql', 'insert into memebrs values (1)'),
    what: /"memebrs" does not exist/,
    where: /\/V4__d\.sql:1 failed/,
    mend: /Correct the file, then run \.\/fw db:migrate\.$/,
  },
  {
    name: 'migration: a wrong file name',
    text: () => apply('create.sql', ''),
    what: /has no version in its name/,
    where: /\/create\.sql /,
    mend: /rename it like V20260102030405__create\.sql/,
  },
  {
    name: 'migration: COMMIT',
    text: () => apply('V2__b.sql', 'create table b (); commit'),
    what: /one transaction, which COMMIT would change/,
    where: /V2__b\.sql:1 /,
    mend: /remove the statement, or begin the file with the line '-- no transaction'/,
  },
  {
    name: 'migration: no way back',
    text: () => apply('V3__c.sql', 'create table c ()', true),
    what: /cannot be rolled back/,
    where: /V3__c\.sql/,
    mend: /add a line '-- down' at its end, and below it the SQL.*Otherwise write a new migration/,
  },
  {
    name: 'migration: COMMIT in its way back',
    text: () => apply('V5__e.sql', 'create table e ();\n-- down\ndrop table e; commit', true),
    what: /one transaction, which COMMIT would change/,
    where: /V5__e\.sql:3 /,
    mend: /remove the statement, or begin the file with the line '-- no transaction'/,
  },
  {
    name: 'database: it does not exist',
    text: () => unreachable('3D000', 'database "shop" does not exist'),
    what: /"shop" does not exist/,
    where: /Correct DATABASE_URL/,
    mend: /create the database with this command:\n {2}\.\/fw db:create$/,
  },
  {
    name: 'database: a wrong password',
    text: () => unreachable('28P01', 'password authentication failed for user "ann"'),
    what: /failed for user "ann"/,
    where: /DATABASE_URL/,
    mend: /Correct the user or the password/,
  },
  {
    name: 'database: an unknown role',
    text: () => unreachable('28000', 'role "ann" does not exist'),
    what: /role "ann" does not exist/,
    where: /DATABASE_URL/,
    mend: /create this role as the server's administrator, such as postgres, with this command:\n {2}createuser -h db\.example -p 5432 -U postgres --pwprompt ann$/,
  },
  {
    name: 'database: no server',
    text: () => unreachable('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432'),
    what: /no server accepts connections/,
    where: /127\.0\.0\.1:5432/,
    mend: /Start the server, or correct host and port in DATABASE_URL/,
  },
  {
    name: 'database: an unknown host',
    text: () => unreachable('ENOTFOUND', 'getaddrinfo ENOTFOUND db.example'),
    what: /there is no host/,
    where: /db\.example/,
    mend: /Correct the host name in DATABASE_URL/,
  },
  {
    name: 'database: too many connections',
    text: () => unreachable('53300', 'sorry, too many clients already'),
    what: /refuses the connection: .*too many clients/,
    where: /db\.default\.poolSize/,
    mend: /Lower db\.default\.poolSize \(10 for each process\), or raise max_connections/,
  },
  {
    name: 'database: none in production',
    text: () => open('production'),
    what: /no address of a server/,
    where: /'default'/,
    mend: /set DATABASE_URL .* set db\.default\.folder/,
  },
  {
    name: 'database: a wrong address',
    text: () => open('test', 'localhost/shop'),
    what: /is not the address of a PostgreSQL server/,
    where: /^DATABASE_URL is/,
    mend: /Write it like postgres:\/\//,
  },
  {
    name: 'disk: an interrupted first start',
    text: () => openFolder('partial/base/x', 'partial'),
    what: /does not contain a complete database: PG_VERSION/,
    where: /\/partial /,
    mend: /Move it away and start again; Fw then creates a new database/,
  },
  {
    name: 'disk: a file in the place of a folder',
    text: () => openFolder('plain', 'plain/data'),
    what: /cannot be created: \S+\/plain is a file/,
    where: /\/plain\/data/,
    mend: /Move it away, or correct db\.default\.folder/,
  },
  {
    name: 'disk: a folder in use',
    text: openTwice,
    what: /is in use by the process \d+/,
    where: /\/own /,
    mend: /Stop it first, or set db\.default\.folder to another folder/,
  },
  {
    name: 'port: no number',
    text: () => {
      vi.stubEnv('FW_PORT', 'http')
      return messageOf(() => listenPort(undefined))
    },
    what: /must be a number from 0 to 65535/,
    where: /^FW_PORT is "http"/,
    mend: /such as 8080/,
  },
  {
    name: 'port: in use',
    text: listenTwice,
    what: /another process listens there/,
    where: /Cannot listen on 127\.0\.0\.1:\d+/,
    mend: /Stop it, or choose another port with --port, FW_PORT or PORT/,
  },
  {
    name: 'permissions: a folder of another user',
    text: writeWithoutPermission,
    what: /cannot be created or changed: \S.*has no permission for the folder \S+\/src\/main\/model \(EACCES\)/,
    where: /\/src\/main\/model\/note\.ts/,
    mend: /Change the owner or the mode of the folder \S+, or run the command as another user/,
  },
  {
    name: 'disk: full, for a file',
    text: () =>
      describeSystemFailure(
        Object.assign(failure('ENOSPC', 'ENOSPC: no space left'), { path: '/data/note.ts' }),
      )!,
    what: /the disk is full/,
    where: /\/data\/note\.ts/,
    mend: /Make room on it, then repeat the command/,
  },
  ...(existsSync('/dev/full')
    ? [
        {
          name: 'disk: full, for the output',
          text: printOnFullDisk,
          what: /the disk is full \(ENOSPC\)/,
          where: /^fw: The output cannot be written/,
          mend: /Make room on it, then repeat the command/,
        },
      ]
    : []),
  {
    name: 'Node: too old',
    text: () => onNode('20.1.0'),
    what: /Node 20\.1\.0 is too old/,
    where: /^fw: /,
    mend: /Install Node 24 .* or run the application's \.\/fw/,
  },
  {
    name: 'command: a folder without an application',
    text: () => say('routes', '--app', join(root, 'db')),
    what: /has no src\/main\/bootstrap\.ts/,
    where: /\/db is not the folder of an application/,
    mend: /Run the command in the application's folder, or name that folder: --app <folder>/,
  },
  {
    name: 'command: a misspelt command',
    text: () => say('rotes'),
    what: /unknown command 'rotes'/,
    where: /'rotes'/,
    mend: /Did you mean routes\?/,
  },
  {
    name: 'command: a misspelt option',
    text: () => say('run', '--prt', '1'),
    what: /unknown option '--prt'/,
    where: /fw run/,
    mend: /Did you mean --port\?/,
  },
  {
    name: 'generator: a misspelt one',
    text: () => say('g', 'scafold', 'x'),
    what: /no generator 'scafold'/,
    where: /'scafold'/,
    mend: /did you mean scaffold\?/,
  },
  {
    name: 'generator: a misspelt type',
    text: () => say('g', 'model', 'note', 'text:Strng', '--app', root),
    what: /no type 'Strng'/,
    where: /'text:Strng'/,
    mend: /did you mean String\?/,
  },
  {
    name: 'generator: a reserved name',
    text: () => say('g', 'model', 'note', 'id:Int', '--app', root),
    what: /has a reserved name/,
    where: /'id:Int'/,
    mend: /reserved names are id, created_at, .*; choose another name/,
  },
  {
    name: 'generator: an unknown language',
    text: () => say('new', join(root, 'x'), '--language', 'xx'),
    what: /Fw has texts in the languages en, ar, de, es, fr, it, ja, nl, pt only/,
    where: /--language xx/,
    mend: /choose one of these and translate src\/main\/resources\/messages\.yml/,
  },
]

test.each(mistakes)('$name', async ({ text, what, where, mend }) => {
  const said = await text()
  expect(said).toMatch(what)
  expect(said).toMatch(where)
  expect(said).toMatch(mend)
  // A defect of Fw has a stack, a mistake of the user has none.
  expect(said).not.toMatch(/\n {4}at /)
})

test('there are forty of them', () => {
  expect(mistakes.length).toBeGreaterThanOrEqual(40)
})
