/** The public interface `fwjs/server`: servers for applications, and handlers that run an application in another framework. */
// Registers the loader that compiles templates in development.
import './view.ts'

export { App, createApp, FwServer } from './runtime/app.ts'
export type { AppOptions } from './runtime/app.ts'
export { fetchHandler, handleSignals, HttpServer, nodeHandler } from './runtime/server.ts'
export type { FetchHandler, NodeHandler } from './runtime/server.ts'
