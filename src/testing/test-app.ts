/** `testApp(Bootstrap)`: the application in this process, on a database of its own, rolled back after each test. */
import { startApplication, type Application, type FwLifeCycle } from '../app.ts'
import { silentLogger } from '../base.ts'
import { loadConfiguration } from '../config.ts'
import { runWithDatabase, type Database } from '../db.ts'
import type { Handler } from '../http.ts'
import { fetchHandler, type FetchHandler } from '../server.ts'
import { TestClient, Visitor } from './client.ts'
import { testHooks } from './test-hooks.ts'
