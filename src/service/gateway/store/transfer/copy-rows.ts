import { OperatorError } from '../../util/index.js'
import type { RunQuery } from '../connection.js'
import type { DataTable } from './data-tables.js'

const ROWS_AT_ONCE = 500
const CURSOR = 'copied_rows'

/** A row in the order of its columns. Values are PostgreSQL's text forms, which any version reads without loss. */
export type Row = readonly (string | null)[]

/** Reads the rows of a table in groups. It must run in a transaction. */
export async function* readRows(query: RunQuery, table: DataTable): AsyncGenerator<readonly Row[]> {
  const columns = table.columns.map(({ name }) => `"${name}"::text`).join(', ')
  await query(`declare ${CURSOR} no scroll cursor for select ${columns} from "${table.name}"`)
  for (;;) {
    const { rows } = await query(`fetch ${ROWS_AT_ONCE} from ${CURSOR}`, [], 'array')
    if (rows.length === 0) break
    yield rows as Row[]
  }
  await query(`close ${CURSOR}`)
}

/**
 * Inserts rows into a table.
 * @param columns of the rows; other columns of the table get their defaults
 */
export async function insertRows(
  query: RunQuery,
  table: string,
  columns: DataTable['columns'],
  rows: readonly Row[],
): Promise<void> {
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const values = columns.map(({ type }, at) => `(given ->> ${at})::${type}`).join(', ')
  await query(
    `insert into "${table}" (${names}) select ${values} from jsonb_array_elements($1::text::jsonb) as given`,
    [JSON.stringify(rows)],
  )
}

/** Makes all statements of a transaction read one snapshot. It must be the first statement. */
export async function readOneSnapshot(query: RunQuery): Promise<void> {
  await query('set transaction isolation level repeatable read, read only')
}

/**
 * Refuses a secret that did not encrypt the keys of a database.
 * @param version of the secret
 * @throws OperatorError `secret_mismatch`
 */
export async function checkSecretOfKeys(query: RunQuery, version: string): Promise<void> {
  const { rows } = await query('select 1 from api_keys where secret_version <> $1 limit 1', [version])
  if (rows.length === 0) return
  throw new OperatorError(
    'secret_mismatch',
    'The keys in the database were encrypted with another secret. Set the CONCORDAT_SECRET of the service, or start ' +
      'the service once if its secret is being changed',
  )
}
