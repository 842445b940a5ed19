/**
 * The program of Vite's development server under `fw run`. It sends its origin to the parent process. Its arguments are the
 * folder of the application, and the main file of the application's Vite.
 */
import { pathToFileURL } from 'node:url'

/** The part of Vite's interface that is used; the application chooses the version. */
interface Vite {
  createServer(options: object): Promise<{
    listen(): Promise<unknown>
    readonly resolvedUrls: { readonly local: readonly string[] } | null
  }>
}

const [root = '', main = ''] = process.argv.slice(2)
// Also while the configuration loads.
process.on('disconnect', () => process.exit())
const vite = (await import(pathToFileURL(main).href)) as Vite
// `custom`: Vite serves no pages, because the application does.
const server = await vite.createServer({
  root,
  appType: 'custom',
  base: '/',
  clearScreen: false,
  server: { host: '127.0.0.1' },
})
await server.listen()
const [url = ''] = server.resolvedUrls?.local ?? []
process.send!({ origin: new URL(url).origin })
