/** Plans the files that run an application in production: Docker Compose, systemd with nginx, Kubernetes, or a Procfile. */
import { readFileSync } from 'node:fs'
import { didYouMean, packageFile } from '../../runtime/base.ts'
import { fillFile, fillTemplate, type TemplateValues } from './fill-template.ts'
import { capitalize } from './format-code.ts'
import {
  invalidArguments,
  type Command,
  type GeneratedFile,
  type Plan,
  type Project,
} from './project.ts'

interface Target {
  readonly files: (values: TemplateValues) => readonly GeneratedFile[]
  readonly notes: readonly string[]
}

/** The note for targets on which several processes serve the application. */
const sharedNote =
  'Several processes serve the application: keep sessions in the database, in Redis or in sealed cookies (docs/sessions.md).\n' +
  'fw doctor --production checks it.'

const proxyNote =
  'Add to src/main/resources/application.yml, below production:\n' +
  '  server:\n    trustedProxies: ${TRUSTED_PROXIES:-127.0.0.1}'

const targets: Readonly<Record<string, Target>> = {
  docker: {
    files: (values) => [
      fill('docker/compose.yaml', 'deploy/docker/compose.yaml', {
        ...values,
        ...(values['behind'] === undefined ? composeTls : composeWithoutTls),
      }),
      nginxFile('docker', {
        ...values,
        address: 'app:8080',
        port: '8000',
        tlsPort: '8443',
        certificate: '/run/secrets/certificate',
        certificateKey: '/run/secrets/certificate_key',
      }),
      { path: 'deploy/docker/pgbouncer.ini', text: poolerText() },
    ],
    notes: [
      `${proxyNote}\n  db:\n    default:\n      # pgbouncer shares connections between transactions.\n      prepare: false`,
    ],
  },
  systemd: {
    files: (values) => [
      ...['service', 'socket'].map((unit) =>
        fill(`systemd/${unit}`, `deploy/systemd/${values['packageName']!}.${unit}`, values),
      ),
      nginxFile('systemd', {
        ...values,
        address: '127.0.0.1:8080',
        port: '80',
        tlsPort: '443',
        certificate: `/etc/letsencrypt/live/${values['packageName']!}/fullchain.pem`,
        certificateKey: `/etc/letsencrypt/live/${values['packageName']!}/privkey.pem`,
      }),
    ],
    notes: [proxyNote, sharedNote],
  },
  kubernetes: {
    files: (values) =>
      ['application', 'migration'].map((name) =>
        fill(`kubernetes/${name}.yaml`, `deploy/kubernetes/${name}.yaml`, values),
      ),
    notes: [proxyNote, sharedNote],
  },
  procfile: {
    files: (values) => [fill('procfile/Procfile', 'Procfile', values)],
    notes: [
      'The platform sets PORT. Set FW_ENV=production, SECRET_KEY_BASE, HOSTS and DATABASE_URL there, and TRUSTED_PROXIES to\n' +
        "the addresses of the platform's router.",
      proxyNote,
    ],
  },
}

const composeTls = {
  certificateHint:
    '# Put the TLS certificate and its key into deploy/docker/fullchain.pem and deploy/docker/privkey.pem, outside Git.',
  ports: "['80:8000', '443:8443']",
  nginxSecrets: 'secrets: [certificate, certificate_key]',
  secrets:
    '\nsecrets:\n  certificate:\n    file: ./fullchain.pem\n  certificate_key:\n    file: ./privkey.pem',
}
const composeWithoutTls = {
  certificateHint: '',
  ports: "['80:8000']",
  nginxSecrets: '',
  secrets: '',
}

const fill = (template: string, path: string, values: TemplateValues): GeneratedFile =>
  fillFile(path, `deploy/${template}`, values)

function nginxFile(target: string, values: TemplateValues): GeneratedFile {
  const isBehind = values['behind'] !== undefined
  const upstream = fillTemplate('deploy/upstream.conf', values).trimEnd()
  const kind = isBehind ? 'deploy/behind-entry.conf' : 'deploy/tls-entry.conf'
  const entry = fillTemplate(kind, { ...values, target }).trimEnd()
  const scheme = isBehind ? '$visitor_scheme' : '$scheme'
  const server = fillTemplate('deploy/server.conf', { ...values, entry, scheme }).trimEnd()
  const path = `deploy/${target}/nginx.conf`
  return fill(`${target}/nginx.conf`, path, { ...values, upstream, server })
}

/** Returns the tested configuration of PgBouncer, with the host names of the Compose file. */
function poolerText(): string {
  return readFileSync(packageFile('templates/deploy/pgbouncer.ini'), 'utf8')
    .replace('host=127.0.0.1', 'host=postgres')
    .replace('listen_addr = 127.0.0.1', 'listen_addr = 0.0.0.0')
}

/** Derives a name from the package's name that is valid for images, systemd units and Kubernetes. */
function deploymentName(project: Project): string {
  const { name } = JSON.parse(project.read('package.json') ?? '{}') as { readonly name?: unknown }
  const plain = String(name ?? '')
    .replace(/^@[^/]*\//, '')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .slice(0, 40)
    .replace(/^[-\d]+|-+$/g, '')
  return plain === '' ? 'app' : plain
}

/** An address or a range; `nginx -t` checks its numbers. */
const range = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f:]{2,39})(?:\/\d{1,3})?$/i

/** @throws FwError `generate.arguments-invalid` */
export function deployPlan({ project, words, usage, options: { behind } }: Command): Plan {
  if (words.length === 0) throw invalidArguments(usage)
  if (behind !== undefined && !range.test(behind))
    throw invalidArguments(
      `--behind takes an address or a range, such as 10.0.0.0/8, not '${behind}'.`,
    )
  const packageName = deploymentName(project)
  const title = capitalize(packageName.replaceAll('-', ' '))
  const values = { packageName, title, ...(behind === undefined ? {} : { behind }) }
  const chosen = [...new Set(words)].map((word) => findTarget(word, usage))
  return {
    files: chosen.flatMap(({ files }) => files(values)),
    notes: [...new Set(chosen.flatMap(({ notes }) => notes))],
  }
}

function findTarget(word: string, usage: string): Target {
  if (Object.hasOwn(targets, word)) return targets[word]!
  const suggestion = didYouMean(word, Object.keys(targets))
  const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`
  throw invalidArguments(`'${word}' is no target of deploy.${hint} ${usage}`)
}
