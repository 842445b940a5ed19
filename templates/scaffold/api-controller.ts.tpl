/** What all controllers for programs share: JSON bodies, no pages, no token. */
import { FwApiController, JsonParamsFeature, mix, TxPerRequestFilter } from 'fwjs'

export class ApiController extends mix(FwApiController, JsonParamsFeature, TxPerRequestFilter) {}
