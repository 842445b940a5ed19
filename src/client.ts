/** The public interface `fwjs/client`: a typed HTTP client of an application, for browsers and other programs. */
export { createClient } from './runtime/client.ts'
