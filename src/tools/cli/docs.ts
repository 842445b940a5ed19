/** `fw docs`: serves the documentation of the running version, or writes it to a folder. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { FwServer, type App } from '../../runtime/app.ts'
import { packageFile, silentLogger } from '../../runtime/base.ts'
import { Configuration, FwEnv } from '../../runtime/config.ts'
import { microServlet } from '../../runtime/controller.ts'
import { mediaTypeOf, results } from '../../runtime/http.ts'
import { handleSignals } from '../../runtime/server.ts'
import { buildSite, type Site } from '../docs.ts'
import { listenPort } from './load-application.ts'
import { count, printLine } from './terminal.ts'

interface DocsOptions {
  readonly port: string
  readonly host: string
  /** The folder to which the site is written, instead of being served. */
  readonly output?: string
}

/** The addresses on which only this machine can reach the server. */
const loopback = /^(?:localhost|127\..+|::1)$/

function writeSite(site: Site, folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of site) writeFileSync(join(folder, name), content)
  printLine(`${count(site.size, 'file')} in ${folder}`)
}

/** Creates the application that serves the site. It has neither a database nor sessions. */
function createDocsApp(site: Site, host: string): Promise<App> {
  const respond = (name: string) => {
    const content = site.get(name)
    if (content === undefined)
      return results.NotFound(site.get('404.html'), {}, { contentType: 'text/html' })
    const contentType = mediaTypeOf(name) ?? 'text/plain'
    return results.Ok(content, {}, { contentType })
  }
  const pages = microServlet((r) => ({
    landing: r.get('/', () => respond('index.html')),
    file: r.get('/*', (c) => {
      const name = c.multiParams.get('splat').join('')
      return respond(extname(name) === '' ? `${name}.html` : name)
    }),
  }))
  const values = {
    accessLog: { enabled: false },
    compression: { enabled: true },
    ...(loopback.test(host) ? {} : { server: { hosts: ['*'] } }),
  }
  const server = new FwServer({
    root: packageFile(''),
    configuration: Configuration.from(values, new FwEnv('docs')),
    logger: silentLogger,
    database: false,
    jobs: false,
  })
  return server.mount(pages).start()
}

/** Serves the site until a signal. @throws FwError `cli.port-invalid`, `server.listen-failed` */
export async function serveDocs({ port, host, output }: DocsOptions): Promise<void> {
  const site = buildSite()
  if (output !== undefined) return writeSite(site, resolve(output))
  const app = await createDocsApp(site, host)
  const { url } = await app.listen(listenPort(port), host)
  handleSignals(app)
  printLine(`The documentation is at ${url}`)
}
