/** docs: the pages of docs/ as a site of static files. */
export { buildSite, type Site } from './docs/build-site.ts'
