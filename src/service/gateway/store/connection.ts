import type { QueryFailure, RowMode } from './embedded/embedded-messages.js'

/** The result of a statement. */
export interface QueryResult {
  /** Arrays or objects, depending on the row mode. Dates and bigint are strings. */
  readonly rows: unknown[]
  /** Number of changed rows. */
  readonly count: number
}

/** Runs one statement with `$1` placeholders. */
export type RunQuery = (text: string, params?: unknown[], rowMode?: RowMode) => Promise<QueryResult>

/**
 * A PostgreSQL database, embedded or on a server. It is the only interface below drizzle, so that both share the schema,
 * queries and migrations.
 */
export interface Connection {
  readonly query: RunQuery
  /** Runs statements in one transaction, which is rolled back if `work` rejects. */
  transaction<T>(work: (query: RunQuery) => Promise<T>): Promise<T>
  /** Resolves with the cause if the database is lost for good; absent if it can come back. */
  readonly lost?: Promise<unknown>
  /** Waits for running statements, then closes the connection. */
  close(): Promise<void>
}

/** The error of a statement that failed or could not be sent. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
  /** SQLSTATE, such as `23505` for a duplicate; undefined if the database did not answer. */
  readonly code: string | undefined
  readonly constraint: string | undefined

  constructor(failure: QueryFailure, options?: { readonly cause?: unknown }) {
    super(failure.message, options)
    this.code = failure.code
    this.constraint = failure.constraint
  }
}

/** Returns true for the error of a statement that violates a constraint. Finds errors that drizzle has wrapped. */
export function violates(error: unknown, constraint: string): boolean {
  for (let inner = error; inner instanceof Error; inner = inner.cause)
    if (inner instanceof QueryError) return inner.constraint === constraint
  return false
}
