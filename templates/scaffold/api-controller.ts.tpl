/** What all controllers for programs share: JSON bodies, no pages, no token. */
import { FwController, JsonParamsFeature, mix, TxPerRequestFilter } from 'fwjs'

export class ApiController extends mix(FwController, JsonParamsFeature, TxPerRequestFilter) {}
