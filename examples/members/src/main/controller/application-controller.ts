/** The base class of all controllers of this application. */
import { ErrorPageFilter, FwController, mix, TxPerRequestFilter } from 'fwjs'

export class ApplicationController extends mix(FwController, ErrorPageFilter, TxPerRequestFilter) {}
