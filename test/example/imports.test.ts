/** Any import order works: each controller file of the example can be imported first. */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sourceFlags } from '../support/environment.ts'

const root = join(import.meta.dirname, '../../examples/members')
const files = globSync('src/main/{controller,model}/*.ts', { cwd: root })

describe('a file of the example can be imported first', () => {
  it.each([...files, 'src/main/bootstrap.ts'])('%s', (file) => {
    const program = `await import(${JSON.stringify(join(root, file))})`
    const flags = [...sourceFlags, '--disable-warning=ExperimentalWarning', '--input-type=module']
    const { status, stderr } = spawnSync(process.execPath, [...flags, '-e', program], {
      cwd: root,
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
  })
})
