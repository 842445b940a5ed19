/** dev: what only development needs: pages reload themselves when their files change. */
export { FileChanges } from './dev/file-changes.ts'
export { LiveReload } from './dev/live-reload.ts'
