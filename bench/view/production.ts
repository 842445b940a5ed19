/** Imported before the peers: they are measured as they run in production. */
export const environment = (process.env['NODE_ENV'] = 'production')
