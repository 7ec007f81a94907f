import { is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { OperatorError } from '../../util/index.js'
import type { RunQuery } from '../connection.js'
import * as schema from '../schema.js'

/** A table whose rows are copied between databases. */
export interface DataTable {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
}

/** The table of the processes that share a database. An empty database may have rows in it. */
export const PROCESSES = getTableConfig(schema.replicas).name

/** Every table of the schema, referenced tables first. */
const dataTables: readonly DataTable[] = referencedFirst(
  Object.values(schema).flatMap((each) => (is(each, PgTable) ? [getTableConfig(each)] : [])),
).map(({ name, columns }) => ({
  name,
  columns: columns.map((column) => ({ name: column.name, type: column.getSQLType() })),
}))

/**
 * Returns the tables and columns that a database has, referenced tables first. Those of an older version lack some.
 * @throws OperatorError `database_too_new` if a newer program has added some, which a copy would lack
 */
export async function tablesIn(query: RunQuery): Promise<readonly DataTable[]> {
  const { rows } = await query(`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = current_schema() order by table_name, ordinal_position`)
  const present = rows as { readonly table: string; readonly column: string }[]
  const added = present.find(({ table, column }) => findColumn(table, column) === undefined)
  if (added !== undefined) {
    throw new OperatorError(
      'database_too_new',
      `The database has data that this program does not know: ${added.column} of the table ${added.table}. ` +
        'Use the newest program that has opened it',
    )
  }
  return dataTables.flatMap(({ name, columns }) => {
    const own = present.filter(({ table }) => table === name).map(({ column }) => column)
    return own.length === 0 ? [] : [{ name, columns: columns.filter((column) => own.includes(column.name)) }]
  })
}

/** Returns a column of the schema; undefined for an unknown one. */
export const findColumn = (table: string, column: string): DataTable['columns'][number] | undefined =>
  dataTables.find(({ name }) => name === table)?.columns.find(({ name }) => name === column)

type TableConfig = ReturnType<typeof getTableConfig>

function referencedFirst(tables: readonly TableConfig[]): readonly TableConfig[] {
  const sorted = new Map<string, TableConfig>()
  const add = (table: TableConfig) => {
    if (sorted.has(table.name)) return
    for (const key of table.foreignKeys) {
      const { name } = getTableConfig(key.reference().foreignTable)
      const referenced = name === table.name ? undefined : tables.find((each) => each.name === name)
      if (referenced !== undefined) add(referenced)
    }
    sorted.set(table.name, table)
  }
  for (const table of tables) add(table)
  return [...sorted.values()]
}
