import root from 'tap'
import { type Postgres, startPostgres } from './postgres.js'
import { type RunningService, startService } from './service.js'

let postgres: Promise<Postgres> | undefined

/**
 * A database server for all files of this process, which create databases of their own. It stops when the run ends.
 * Tests that stop, suspend or configure a server start one.
 */
export function sharedPostgres(): Promise<Postgres> {
  postgres ??= startPostgres(root)
  return postgres
}

let service: Promise<RunningService> | undefined

/** A service on its defaults for all files of this process that only send requests. It stops when the run ends. */
export function sharedService(): Promise<RunningService> {
  service ??= startService().then((started) => {
    root.teardown(() => started.stop())
    return started
  })
  return service
}
