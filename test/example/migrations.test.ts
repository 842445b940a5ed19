/** The tables of Fw in the examples are those that its generators write today. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { attemptMigrationText } from '../../src/runtime/accounts.ts'
import { jobMigrationText } from '../../src/runtime/jobs.ts'

const examples = join(import.meta.dirname, '../../examples')

test.each([
  ['create_fw_attempts', attemptMigrationText()],
  ['create_fw_jobs', jobMigrationText()],
])('%s', (name, text) => {
  const files = globSync(`*/db/migration/V*__${name}.sql`, { cwd: examples })
  expect(files).not.toEqual([])
  for (const file of files) expect(readFileSync(join(examples, file), 'utf8')).toBe(text)
})
