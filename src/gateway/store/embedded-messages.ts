/** How rows come back: as lists in the order of the columns, or as objects by column name. */
export type RowMode = 'array' | 'object'

/** What the database's thread is started with. */
export interface Settings {
  /** Settings of PostgreSQL, as `name=value`, that hold for every start of the database. */
  readonly settings: readonly string[]
}

/** What the database's thread is asked; each is answered once by the same id. */
export type ToWorker = { readonly id: number } & (
  | { readonly kind: 'open'; readonly folder: string }
  | {
      readonly kind: 'query'
      readonly text: string
      readonly params: unknown[]
      readonly rowMode: RowMode
      /** The transaction that it is part of; none: a statement of its own. */
      readonly transaction?: number
    }
  | { readonly kind: 'begin'; readonly transaction: number }
  | { readonly kind: 'end'; readonly transaction: number; readonly commit: boolean }
  | { readonly kind: 'close' }
)

/** What the database says about a statement that it refused. */
export interface QueryFailure {
  readonly message: string
  /** SQLSTATE, where it comes from the database. */
  readonly code: string | undefined
  /** The constraint that would have been broken. */
  readonly constraint: string | undefined
}

/** What the database's thread answers. */
export type FromWorker = { readonly id: number } & (
  | { readonly ok: true; readonly rows: unknown[]; readonly count: number }
  | { readonly ok: false; readonly error: QueryFailure }
)
