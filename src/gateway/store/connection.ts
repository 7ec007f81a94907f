import type { QueryFailure, RowMode } from './embedded-messages.js'

/** What a statement gave. */
export interface QueryResult {
  /** Lists or objects, as asked for; dates and bigint are text. */
  readonly rows: unknown[]
  /** Rows changed. */
  readonly count: number
}

/** Runs one statement with `$1` placeholders. */
export type RunQuery = (text: string, params?: unknown[], rowMode?: RowMode) => Promise<QueryResult>

/**
 * A database that speaks PostgreSQL's SQL: the one seam beneath drizzle, so that the embedded database and
 * a server are used by the same schema, queries and migrations.
 */
export interface Connection {
  readonly query: RunQuery
  /** Runs statements as one transaction: committed when `work` fulfils, rolled back when it rejects. */
  transaction<T>(work: (query: RunQuery) => Promise<T>): Promise<T>
  /** Fulfils with the cause when the database is gone and does not come back; absent where it may. */
  readonly lost?: Promise<unknown>
  /** Lets statements under way finish, then ends the connection. */
  close(): Promise<void>
}

/** A statement that the database refused, or could not be asked. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
  /** SQLSTATE, such as `23505` for a duplicate; undefined when the database did not answer. */
  readonly code: string | undefined
  readonly constraint: string | undefined

  constructor(failure: QueryFailure, options?: { readonly cause?: unknown }) {
    super(failure.message, options)
    this.code = failure.code
    this.constraint = failure.constraint
  }
}
