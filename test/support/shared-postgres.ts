import root from 'tap'
import { type Postgres, startPostgres } from './postgres.js'

let postgres: Promise<Postgres> | undefined

/**
 * A database server for all files of this process, which create databases of their own. It stops when the run ends.
 * Tests that stop, suspend or configure a server start one.
 */
export function sharedPostgres(): Promise<Postgres> {
  postgres ??= startPostgres(root)
  return postgres
}
