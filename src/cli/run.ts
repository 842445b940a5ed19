/** `fw run`: serves the application for development, migrated, restarted when its code changes. */
import { LogSink, prettyLogger } from '../base.ts'
import { handleSignals } from '../server.ts'
import { DevelopmentServer } from './development-server.ts'
import { listenPort } from './listen-port.ts'
import { applicationRoot } from './load-life-cycle.ts'

interface RunOptions {
  readonly app: string
  readonly host: string
  readonly port?: string
}

/** @throws FwError whatever makes the start senseless */
export async function run({ app: folder, host, port }: RunOptions): Promise<void> {
  const root = applicationRoot(folder)
  const wanted = listenPort(port)
  const sink = new LogSink(process.stdout)
  const logger = prettyLogger(sink.write, { colour: process.stdout.isTTY, level: 'info' })
  const server = new DevelopmentServer({ root, logger, print: sink.write })
  const forget = handleSignals(server, { logger, onClosed: () => sink.flush() })
  try {
    await server.start(wanted, host)
  } catch (error) {
    forget()
    throw error
  }
}
