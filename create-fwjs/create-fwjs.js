#!/usr/bin/env node
/**
 * `npm create fwjs my-app` runs `fw new my-app` of the fwjs version with which this package is published. On a terminal, `fw
 * new` asks for the choices that the command line omits. This file uses no recent syntax, so that older Node versions run it.
 */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const fwjs = dirname(createRequire(import.meta.url).resolve('fwjs/package.json'))
const given = process.argv.slice(2)
if (given.length === 0) given.push('my-app')
const isAsked = process.stdin.isTTY && process.stdout.isTTY && !given.includes('--json')
const args = [join(fwjs, 'dist/tools/cli/main.js'), 'new', ...given, ...(isAsked ? ['--ask'] : [])]

const [major, minor] = process.versions.node.split('.').map(Number)
const isSupported = major > 22 || (major === 22 && minor >= 18)
// On an older Node, the launcher script of fwjs finds or downloads a supported one, like `./fw` of the new application.
const script = '. "$1/fw"; shift; choose_node; exec "$node" "$@"'
const [command, ...before] =
  isSupported || process.platform === 'win32'
    ? [process.execPath]
    : ['sh', '-c', script, 'create-fwjs', fwjs]
const { status, error } = spawnSync(command, [...before, ...args], { stdio: 'inherit' })
if (error !== undefined) throw error
process.exitCode = status === null ? 1 : status
