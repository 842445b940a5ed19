/** Declarations for engines without types. */
declare module 'ejs'
declare module 'pug'
declare module 'react'
declare module 'react-dom/server'
