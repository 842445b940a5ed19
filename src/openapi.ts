/** openapi: the application as an OpenAPI document, the page to try it, and a typed client. */
export { clientOf } from './openapi/client-code.ts'
export { describeApplication } from './openapi/describe-application.ts'
export type { DescribedApplication } from './openapi/describe-application.ts'
export { OpenApiPages } from './openapi/development-pages.ts'
export type { OpenApiDocument } from './openapi/document.ts'
