/**
 * The program that runs Vite's development server under `fw run`, and sends the server's origin to the parent process. Its
 * arguments are the application's folder and the main file of the application's Vite.
 */
import { pathToFileURL } from 'node:url'

/** The part of Vite's interface that Fw uses. The application, not Fw, determines the version of Vite. */
interface Vite {
  createServer(options: object): Promise<{
    listen(): Promise<unknown>
    readonly resolvedUrls: { readonly local: readonly string[] } | null
  }>
}

const [root = '', main = ''] = process.argv.slice(2)
// Register before importing Vite, so that the process also ends while Vite loads its configuration.
process.on('disconnect', () => process.exit())
const vite = (await import(pathToFileURL(main).href)) as Vite
// With `appType: 'custom'` Vite serves no pages, because the application serves them.
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
