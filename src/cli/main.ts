#!/usr/bin/env node
/** The executable `fw`. */
import { fw } from './program.ts'

await fw(process.argv.slice(2))
