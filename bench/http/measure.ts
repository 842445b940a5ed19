/** Measures CPU time per request of two servers that run concurrently, in fresh processes on one core. */
import { fork, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { firstAnswer, Load } from './load.ts'
import { requestText, scenarios, type Scenario } from './scenarios.ts'

/** Requests to each server in each scenario: for the warm-up, and for each measurement. */
export interface Counts {
  readonly warmUp: number
  readonly measured: number
}

/** Microseconds of CPU time per request, by scenario. */
export type Costs = Readonly<Record<string, number>>

const serverCore = 0
const loadCore = 1

/** Pins a process to one core, if the system supports it. */
function pin(process: number, core: number): void {
  spawnSync('taskset', ['-a', '-p', '-c', String(core), String(process)])
}

function message<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error('a server ended'))
    child.once('exit', ended)
    child.once('message', (value) => {
      child.off('exit', ended)
      resolve(value as T)
    })
  })
}

/** A subject; `folder` is the `bench/http` of another checkout. */
export interface Server {
  readonly name: string
  readonly folder?: string
}

class ServerProcess {
  readonly port: number
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
  }

  static async start({ name, folder = import.meta.dirname }: Server): Promise<ServerProcess> {
    const child = fork(join(folder, 'server.ts'), [name], {
      execArgv: [],
      env: { ...process.env, NODE_ENV: 'production', FW_ENV: 'test' },
    })
    pin(child.pid!, serverCore)
    const port = await message<number>(child)
    return new ServerProcess(child, port)
  }

  /** Microseconds of CPU time that all threads have used. */
  async cpu(): Promise<number> {
    this.#child.send('cpu')
    const usage = await message<NodeJS.CpuUsage>(this.#child)
    return usage.user + usage.system
  }

  async end(): Promise<void> {
    const gone = once(this.#child, 'exit')
    this.#child.disconnect()
    await gone
  }
}

/** The cookie and the token that a server with protection against forgery wants, as header lines; else ''. */
async function postHeadersOf({ port }: ServerProcess): Promise<string> {
  const scenario: Scenario = { name: 'token', method: 'GET', path: '/token', answer: '' }
  const answer = await firstAnswer(port, requestText(scenario, ''))
  const cookie = /^set-cookie: ([^;]+)/im.exec(answer)?.[1]
  const token = answer.slice(answer.indexOf('\r\n\r\n') + 4)
  return cookie === undefined ? '' : `Cookie: ${cookie}\r\nX-CSRF-Token: ${token}\r\n`
}

/** The responses of a subject as bytes, without the date. */
async function answersOf(server: ServerProcess, postHeaders: string): Promise<string[]> {
  const answers: string[] = []
  for (const scenario of scenarios) {
    const answer = await firstAnswer(server.port, requestText(scenario, postHeaders))
    if (!answer.startsWith('HTTP/1.1 200') || !answer.includes(scenario.answer)) {
      throw new Error(`${scenario.name} was answered wrongly:\n${answer}`)
    }
    answers.push(answer.replace(/^date: .*$/im, 'Date'))
  }
  return answers
}

async function together(
  servers: readonly ServerProcess[],
  requests: readonly string[],
  count: number,
): Promise<number[]> {
  const loads = await Promise.all(servers.map(({ port }, at) => Load.to(port, requests[at]!)))
  const before = await Promise.all(servers.map((server) => server.cpu()))
  for (const load of loads) load.start()
  while (loads.some((load) => load.answered < count)) await sleep(20)
  await Promise.all(loads.map((load) => load.stop()))
  const after = await Promise.all(servers.map((server) => server.cpu()))
  return loads.map((load, i) => {
    load.close()
    return (after[i]! - before[i]!) / load.answered
  })
}

/**
 * Runs one round of every scenario on both servers. The warm-up includes all scenarios before the first
 * measurement, so that every measured process has served them all. Each round begins with another scenario, because
 * the first measurement includes what the warm-up leaves, such as garbage.
 */
export async function measurePair(
  pair: readonly [Server, Server],
  counts: Counts,
  identical: boolean,
  round: number,
): Promise<readonly [Costs, Costs]> {
  const servers = [await ServerProcess.start(pair[0]), await ServerProcess.start(pair[1])]
  const own = identical ? ['', ''] : await Promise.all(servers.map(postHeadersOf))
  // A server without protection gets the headers of the other one, because both must read the same bytes.
  const postHeaders = own.map((headers, at) => headers || own[1 - at]!)
  const requestsOf = (scenario: Scenario): string[] =>
    postHeaders.map((headers) => requestText(scenario, headers))
  const [first, second] = await Promise.all(
    servers.map((one, at) => answersOf(one, postHeaders[at]!)),
  )
  if (identical && first!.join() !== second!.join()) {
    throw new Error(`${pair[0].name} and ${pair[1].name} do not send the same bytes`)
  }
  pin(process.pid, loadCore)
  for (const scenario of scenarios) await together(servers, requestsOf(scenario), counts.warmUp)
  const costs: [Record<string, number>, Record<string, number>] = [{}, {}]
  const start = round % scenarios.length
  for (const scenario of [...scenarios.slice(start), ...scenarios.slice(0, start)]) {
    const [one, other] = await together(servers, requestsOf(scenario), counts.measured)
    costs[0][scenario.name] = one!
    costs[1][scenario.name] = other!
  }
  await Promise.all(servers.map((server) => server.end()))
  return costs
}
