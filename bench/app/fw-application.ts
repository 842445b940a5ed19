/** The members application as `fw new` and `fw g scaffold` write it, with sessions in the database, built; optionally with accounts. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sessionMigrationText } from 'fwjs/session'
import { change, generate } from '../../test/generate/folder.ts'
import { buildAndMigrate, createApplication } from '../create-application.ts'

export interface FwApplication {
  readonly root: string
  readonly env: Readonly<Record<string, string>>
}

/** Adds sessions in the database. `fw g authentication` adds them itself. */
function addSessions(root: string): void {
  writeFileSync(join(root, 'db/migration/V1__sessions.sql'), sessionMigrationText())
  const bootstrap = 'src/main/bootstrap.ts'
  change(root, bootstrap, 'FwLifeCycle, M', 'FwLifeCycle, FwSessionInitializer, M')
  const mount = 'new MethodOverride().mount(ctx)'
  change(root, bootstrap, mount, `new FwSessionInitializer().mount(ctx, '/*')\n    ${mount}`)
}

/** Writes the application, migrates the database and runs `fw build`. */
export async function buildFwApplication(url: string, hasAccounts = false): Promise<FwApplication> {
  const root = createApplication('scaffold members member name:String birthday:LocalDate')
  if (hasAccounts) generate(root, 'authentication')
  else addSessions(root)
  const front = 'src/main/controller/root-controller.ts'
  change(root, front, '  index() {', "  hello() {\n    return 'Hello, World!'\n  }\n\n  index() {")
  change(root, front, '  indexUrl', "  helloUrl: r.get('/hello', 'hello').as('hello'),\n  indexUrl")
  const settings = 'src/main/resources/application.yml'
  change(root, settings, 'production:', 'accessLog:\n  enabled: false\nproduction:')
  // Each login comes from another address: the limit of one address would end the measurement.
  if (hasAccounts)
    change(root, settings, 'production:', 'server:\n  trustedProxies: 127.0.0.1\nproduction:')
  const env = {
    FW_ENV: 'production',
    DATABASE_URL: url,
    SECRET_KEY_BASE: 'DZb2p0xw3RkT9uVnQmYc7sLhEa1JgXo5',
    HOSTS: 'localhost',
  }
  await buildAndMigrate(root, env)
  return { root, env }
}
