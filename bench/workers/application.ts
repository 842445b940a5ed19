/**
 * The application of the benchmarks `workers` and `nodes`: a small page, and a large one that computes for 0.3 ms, so that the load generator takes a small part of the processor.
 */
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { workerApplication } from '../../test/support/fw-start.ts'

const bootstrap = `
import { createHash } from 'node:crypto'
import { FwController, FwLifeCycle, routes } from 'fwjs'
class Pages extends FwController {
  small() {
    return { id: 5, name: 'Ann' }
  }
  large() {
    let text = 'Ann'
    for (let turn = 0; turn < 400; turn++) text = createHash('sha256').update(text).digest('hex')
    return { id: 5, name: text }
  }
}
const pages = routes(Pages, (r) => ({ small: r.get('/small', 'small'), large: r.get('/large', 'large') }))
export class Bootstrap extends FwLifeCycle {
  initFwApp(ctx) {
    pages.mount(ctx)
  }
}
`

/** Writes the application to a temporary folder, and returns it. */
export function createPages(): string {
  const root = mkdtempSync(join(tmpdir(), 'fw-bench-'))
  const files = { ...workerApplication(), 'src/main/bootstrap.ts': bootstrap }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(root, 'node_modules'))
  return root
}
