/** The base of the API's controllers: JSON and XML, errors as problem details, a transaction for each request. */
import { FwApiController, mix, TxPerRequestFilter } from 'fwjs'

export class ApiController extends mix(FwApiController, TxPerRequestFilter) {}
