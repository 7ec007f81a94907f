import { is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import * as schema from '../schema.js'

/** A table whose rows are copied between databases. */
export interface DataTable {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
}

/** The processes that share one database, which no copy of it has. */
export const PROCESSES = getTableConfig(schema.replicas).name

/** Every table of the schema, referenced tables first, except the processes. */
export const dataTables: readonly DataTable[] = referencedFirst(
  Object.values(schema).flatMap((each) =>
    is(each, PgTable) && each !== schema.replicas ? [getTableConfig(each)] : [],
  ),
).map(({ name, columns }) => ({
  name,
  columns: columns.map((column) => ({ name: column.name, type: column.getSQLType() })),
}))

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
