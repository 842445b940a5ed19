#!/usr/bin/env node
/** `npm create fwjs my-app` runs `fw new my-app` of the fwjs version with which this package is published. */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const fwjs = dirname(createRequire(import.meta.url).resolve('fwjs/package.json'))
const args = [join(fwjs, 'dist/tools/cli/main.js'), 'new', ...process.argv.slice(2)]
const { status, error } = spawnSync(process.execPath, args, { stdio: 'inherit' })
if (error !== undefined) throw error
process.exitCode = status ?? 1
