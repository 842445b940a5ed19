/** The measured application: responds with the size of an upload. Sends its memory, files and descriptors on request. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileUpload, FwController, FwServer, mix, routes } from 'fwjs'

/** The server's state. */
export interface Vitals {
  readonly rss: number
  readonly files: number
  readonly descriptors: number
}

const gibibytes = 4 * 2 ** 30

const limits = { fileBytes: gibibytes, totalBytes: gibibytes }

class Uploads extends mix(FwController, fileUpload({ limits })) {
  upload() {
    return String(this.fileParams.get('file')?.size)
  }
}
const uploads = routes(Uploads, (r) => ({ upload: r.post('/', 'upload') }))

const root = mkdtempSync(join(tmpdir(), 'fw-bench-uploads-'))
writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
process.chdir(root)
process.env['TMPDIR'] = root
const { port } = await new FwServer({ root }).mount(uploads).listen(0)

function filesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    .length
}

process.on('message', () => {
  const vitals: Vitals = {
    rss: process.memoryUsage.rss(),
    files: filesBelow(root) - 1,
    descriptors: readdirSync('/proc/self/fd').length,
  }
  process.send!(vitals)
})
process.on('disconnect', () => {
  rmSync(root, { recursive: true, force: true })
  process.exit()
})
process.send!(port)
