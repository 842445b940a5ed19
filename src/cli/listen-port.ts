/** The port that a server listens on. */
import { FwError } from '../base.ts'

const highestPort = 65_535

/** The one given, else `FW_PORT`, else `PORT`, else 8080; 0 lets the system choose. @throws FwError `cli.port-invalid` */
export function listenPort(given: string | undefined): number {
  const text = given ?? process.env['FW_PORT'] ?? process.env['PORT'] ?? '8080'
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= highestPort) return port
  throw new FwError(
    'cli.port-invalid',
    `The port ${JSON.stringify(text)} is not a number from 0 to ${highestPort}.`,
  )
}
