/** Peers that come without types. */
declare module 'koa'
declare module 'polka'
