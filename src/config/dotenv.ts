/** Variables from the `.env` files of an application, for development and tests. */
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { FwEnv, Variables } from './environment.ts'
import { readText } from './key-file.ts'

/** The strongest file first. Tests must not depend on what one developer wrote into `.env.local`. */
function filesOf(env: FwEnv): string[] {
  const [name] = env.names
  const local = env.isTest() ? [] : ['.env.local']
  return [`.env.${name}.local`, ...local, `.env.${name}`, '.env']
}

/**
 * The variables of the process over those of the `.env` files; production and staging read no files.
 * The process's own environment stays as it is.
 */
export function withDotenv(root: string, env: FwEnv, variables: Variables): Variables {
  if (!env.isDevelopment() && !env.isTest()) return variables
  const all: Record<string, string | undefined> = Object.create(null)
  for (const file of filesOf(env).reverse()) {
    const text = readText(join(root, file))
    if (text !== undefined) Object.assign(all, parseEnv(text))
  }
  return Object.assign(all, variables)
}
