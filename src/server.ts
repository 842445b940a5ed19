/** The public interface `fwjs/server`: servers for applications, and handlers that run an application in another framework. */
// Registers the loader that compiles templates in development.
import './view.ts'

export {
  App,
  createApp,
  fetchHandler,
  FwServer,
  handleSignals,
  HttpServer,
  nodeHandler,
} from './runtime/server.ts'
export type { AppOptions, FetchHandler, NodeHandler } from './runtime/server.ts'
