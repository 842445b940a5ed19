/** The applications: how each is started, and how its pages differ. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { buildFwApplication } from './fw-application.ts'
import { pages, type Dialect } from './pages.ts'

export interface Subject {
  readonly name: string
  readonly dialect: Dialect
  readonly pages: readonly string[]
  /** The packages that the application installs, the first one with the version to report. */
  readonly packages: readonly string[]
  /** The folder whose node_modules has them. */
  readonly folder: string
  /** The checkout of Fw whose application this is. */
  readonly checkout?: string
  /** Whether the application has the accounts of `fw g authentication`. */
  readonly hasAccounts?: boolean
}

/** How to start a subject. */
export interface Command {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

const peersFolder = join(import.meta.dirname, 'peers')
const allPages = pages.map(({ name }) => name).filter((name) => name !== 'login')

const peer = (name: string, packages: readonly string[], more: Partial<Subject> = {}): Subject => ({
  name,
  dialect: {
    jsonList: '/api/members',
    jsonShow: (id) => `/api/members/${id}`,
    token: '_csrf',
    refused: 403,
  },
  pages: allPages,
  packages,
  folder: peersFolder,
  ...more,
})

const fastifyPackages = ['cookie', 'csrf-protection', 'helmet', 'session', 'view'].map(
  (name) => `@fastify/${name}`,
)

const adonis = peer('adonis', [
  '@adonisjs/core',
  '@adonisjs/lucid',
  '@adonisjs/session',
  '@adonisjs/shield',
  '@vinejs/vine',
  'edge.js',
  'luxon',
  'pg',
])

const fw = (name: string, checkout: string): Subject => ({
  name,
  dialect: {
    jsonList: '/members.json',
    jsonShow: (id) => `/members/${id}.json`,
    token: 'csrf-token',
    refused: 403,
  },
  pages: allPages,
  packages: ['fwjs'],
  folder: join(checkout, 'bench/app'),
  checkout,
})

const accounts = (name: string, checkout: string): Subject => ({
  ...fw(name, checkout),
  hasAccounts: true,
  pages: ['show', 'login'],
})

/** The same applications of another checkout of Fw, for a comparison before and after a change. */
export const baseSubjects = (checkout: string): readonly Subject[] => [
  fw('base', resolve(checkout)),
  accounts('base accounts', resolve(checkout)),
]

const repository = join(import.meta.dirname, '../..')

export const subjects: readonly Subject[] = [
  fw('fw', repository),
  accounts('accounts', repository),
  peer('fastify', ['fastify', ...fastifyPackages, '@fastify/formbody', 'eta', 'pg']),
  peer('express', [
    'express',
    'connect-pg-simple',
    'csrf-sync',
    'ejs',
    'express-session',
    'helmet',
    'pg',
  ]),
  peer('nest', [
    '@nestjs/core',
    '@nestjs/common',
    '@nestjs/platform-fastify',
    '@nestjs/typeorm',
    ...fastifyPackages,
    'class-transformer',
    'class-validator',
    'handlebars',
    'pg',
    'reflect-metadata',
    'rxjs',
    'typeorm',
  ]),
  // Shield redirects back to the form.
  { ...adonis, dialect: { ...adonis.dialect, refused: 302 } },
  peer('node', [], { pages: ['hello'] }),
]

/** Installs the peers from their lockfile, unless the installed ones are those. */
export function installPeers(): void {
  const lock = join(peersFolder, 'node_modules/.package-lock.json')
  const check = ['ls', '--all', '--silent']
  if (existsSync(lock) && spawnSync('npm', check, { cwd: peersFolder }).status === 0) return
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
  const { status } = spawnSync('npm', args, { cwd: peersFolder, stdio: 'inherit' })
  if (status !== 0) throw new Error('the peers could not be installed')
}

export const tablesFile = join(peersFolder, 'tables.sql')

/** Writes and builds what the subject starts. */
export async function prepare(subject: Subject, url: string): Promise<Command> {
  if (subject.checkout !== undefined) {
    const module = join(subject.checkout, 'bench/app/fw-application.ts')
    const { buildFwApplication: build } = (await import(module)) as {
      buildFwApplication: typeof buildFwApplication
    }
    const { root, env } = await build(url, subject.hasAccounts)
    const main = join(root, 'node_modules/fwjs/dist/tools/cli/main.js')
    const preload = ['--import', join(import.meta.dirname, 'without-argon2.ts')]
    const flags = subject.hasAccounts === true ? preload : []
    return { args: [...flags, main, 'start', '--port', '0', '--host', '127.0.0.1'], cwd: root, env }
  }
  const main = subject.name === 'adonis' ? 'adonis/bin/server.js' : `${subject.name}/main.js`
  return {
    args: [join(peersFolder, main)],
    cwd: peersFolder,
    env: {
      NODE_ENV: 'production',
      DATABASE_URL: url,
      APP_KEY: 'DZb2p0xw3RkT9uVnQmYc7sLhEa1JgXo5',
      HOST: '127.0.0.1',
      PORT: '0',
      // As `fw build` does for its applications.
      NODE_COMPILE_CACHE: join(peersFolder, 'node_modules/.cache/compiled'),
    },
  }
}
