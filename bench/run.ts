/** Runs one benchmark: `npm run bench -- http` runs `bench/http/main.ts` with the remaining arguments. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const [name = ''] = process.argv.splice(2, 1)
const main = join(import.meta.dirname, name, 'main.ts')

if (name !== '' && existsSync(main)) {
  await import(main)
} else {
  const names = readdirSync(import.meta.dirname).filter((folder) =>
    existsSync(join(import.meta.dirname, folder, 'main.ts')),
  )
  console.log(`Which one? npm run bench -- ${names.join(' | ')}`)
  process.exitCode = 1
}
