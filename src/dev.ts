/** dev: what only development needs: pages reload themselves when their files change. */
export { LiveReload } from './dev/live-reload.ts'
