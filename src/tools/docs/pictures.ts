/** The pictures of the pages. Only the repository contains them: with their 150 KB, the package would exceed its limit of 1,200 KiB. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** A picture in PNG. */
export interface Picture {
  /** The name of its file in the site. */
  readonly name: string
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
}

/** Reads a picture; undefined if the file does not exist. @param path its path below the folder `root` */
export function readPicture(root: string, path: string): Picture | undefined {
  const file = join(root, path)
  if (!existsSync(file)) return undefined
  const bytes = readFileSync(file)
  // The header of a PNG begins with the width and the height, after a signature and the header's own length and name.
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  return { name: basename(file), bytes, width, height }
}
