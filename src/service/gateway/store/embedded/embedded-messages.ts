/** Form of rows: arrays in the order of the columns, or objects by column name. */
export type RowMode = 'array' | 'object'

/** Start parameters of the database's thread. */
export interface Settings {
  /** PostgreSQL settings as `name=value`. */
  readonly settings: readonly string[]
}

/** Messages to the database's thread. Each gets one answer with the same id. */
export type ToWorker = { readonly id: number } & (
  | { readonly kind: 'open'; readonly folder: string }
  | {
      readonly kind: 'query'
      readonly text: string
      readonly params: unknown[]
      readonly rowMode: RowMode
      /** Transaction of the statement; absent for a statement outside transactions. */
      readonly transaction?: number
    }
  | { readonly kind: 'begin'; readonly transaction: number }
  | { readonly kind: 'end'; readonly transaction: number; readonly commit: boolean }
  | { readonly kind: 'close' }
)

/** Details of a failed statement. */
export interface QueryFailure {
  readonly message: string
  /** SQLSTATE; undefined if the error is not from the database. */
  readonly code: string | undefined
  /** The violated constraint. */
  readonly constraint: string | undefined
}

/** Answers of the database's thread. */
export type FromWorker = { readonly id: number } & (
  | { readonly ok: true; readonly rows: unknown[]; readonly count: number }
  | { readonly ok: false; readonly error: QueryFailure }
)
