/** Temporal: the runtime's own where it has one, else the polyfill. */
export { Temporal } from 'temporal-polyfill'
