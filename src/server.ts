/** The public interface `fwjs/server`: applications inside other servers and frameworks. */
// Registers the loader of development mode.
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
