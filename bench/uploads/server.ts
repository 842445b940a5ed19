/** The application that is measured: an upload, its size answered. Tells its memory, files and descriptors when asked. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileUploadFeature, FwController, FwServer, mix, routes } from 'fwjs'

/** What the server tells of itself. */
export interface Vitals {
  readonly rss: number
  readonly files: number
  readonly descriptors: number
}

const gibibytes = 4 * 2 ** 30

class Uploads extends mix(FwController, FileUploadFeature) {
  override get uploadLimits() {
    return { fileBytes: gibibytes, totalBytes: gibibytes }
  }
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
