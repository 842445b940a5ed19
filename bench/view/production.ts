/** Imported before the peers: they are measured as they run in production. */

process.env['NODE_ENV'] = 'production'
