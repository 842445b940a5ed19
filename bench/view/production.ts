/** Sets the production environment; import it before the other engines. */
export const environment = (process.env['NODE_ENV'] = 'production')
