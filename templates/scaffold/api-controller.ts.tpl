/** The base of all API controllers: JSON bodies, no pages, no CSRF token. */
import { FwApiController, JsonParamsFeature, mix, TxPerRequestFilter } from 'fwjs'

export class ApiController extends mix(FwApiController, JsonParamsFeature, TxPerRequestFilter) {}
