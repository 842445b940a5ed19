/** Declarations for frameworks without types. */
declare module '0http'
declare module 'koa'
declare module 'polka'
