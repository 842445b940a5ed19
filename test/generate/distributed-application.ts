/** An application whose users belong to tenants, and whose tables Citus distributes by the tenant. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { change, generate, linkSources, newFolder } from './folder.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/generators.md'), 'utf8')
/** The files that docs/generators.md shows for an application without `fw g authentication`. */
export const loginFiles = [...page.matchAll(/^```ts scope\n\/\/ (\S+)\n([^]*?)^```$/gm)].map(
  ([, path, text]) => [path!, text!] as const,
)

const headersOf = `  override headersOf(user: User) {
    return { authorization: \`Bearer \${createToken(user)}\` }
  }
`

/** Generates the application in a new folder, which it returns. */
export function newDistributedApplication(): string {
  const root = newFolder()
  linkSources(root)
  generate(root, 'model tenant name:String')
  generate(root, 'model user name:String tenant:references')
  for (const [path, text] of loginFiles) writeFileSync(join(root, path), text)
  const bootstrap = 'src/main/bootstrap.ts'
  const imports = "import { createToken } from '#controller/api-controller'\nimport type"
  change(root, bootstrap, 'import type', imports)
  change(root, bootstrap, '  override sessionOf', `${headersOf}\n  override sessionOf`)
  for (const line of [
    'model country name:String',
    'scaffold folders folder name:String:unique --distributed-by tenant',
    'scaffold notes note title:String:index folder:references country:references? previous:references?:note --distributed-by tenant',
    'scaffold comments comment body:text --parent notes --distributed-by tenant',
    'api-resource tasks task title:String --distributed-by tenant',
    'job touch-note tenantId:Long noteId:Long',
  ])
    generate(root, line)
  return root
}
