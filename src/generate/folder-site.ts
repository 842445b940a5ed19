/** The application in a folder, as generators read it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseFacts } from './database-facts.ts'
import type { Site } from './draft.ts'

/** Reads on demand; a file or folder that is not there is no error. */
export function folderSite(root: string, database?: DatabaseFacts): Site {
  return {
    ...(database === undefined ? {} : { database }),
    now: new Date(),
    read: (path) => {
      const file = join(root, path)
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined
    },
    list: (folder) => {
      const path = join(root, folder)
      return existsSync(path) ? readdirSync(path).sort() : []
    },
  }
}
