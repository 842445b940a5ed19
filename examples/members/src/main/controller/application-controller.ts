/** What all controllers of this application share. */
import { ErrorPageFilter, FwController, mix, TxPerRequestFilter } from 'fwjs'

export class ApplicationController extends mix(FwController, ErrorPageFilter, TxPerRequestFilter) {}
