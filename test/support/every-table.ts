/** Runs a statement and returns its rows. */
type Query = (text: string) => Promise<readonly Record<string, unknown>[]>

/** Values of columns whose checks allow few words. */
const words: Readonly<Record<string, string>> = {
  origin: 'cli',
  state: 'enabled',
  period: 'day',
  actor: 'user',
}
/** Values by type. Equal texts satisfy foreign keys. The text has what a format of lines and quotes could lose. */
const values: Readonly<Record<string, string>> = {
  text: `E'a"\\\\\\n\\t\\u2028 ''é'`,
  boolean: 'true',
  integer: '7',
  bigint: '9007199254740993',
  date: "date '2026-02-28'",
  jsonb: `'{"origins":["https://example.com"],"n":9007199254740993}'::jsonb`,
  ARRAY: "'{1,9007199254740993}'",
  'timestamp with time zone': "timestamptz '2026-02-28 23:59:59.123456Z'",
}

/**
 * Inserts a row with a value in every column into each table of the database, whatever tables it has.
 * @throws the error of the database if a table has a column that these values do not fit
 */
export async function fillEveryTable(query: Query): Promise<void> {
  const columns = await query(`
    select table_name as table, column_name as column, data_type as type from information_schema.columns
    where table_schema = 'public' order by table_name, ordinal_position`)
  let waiting = [...new Set(columns.map(({ table }) => String(table)))]
  while (waiting.length > 0) {
    const failed: { readonly table: string; readonly error: unknown }[] = []
    for (const table of waiting) {
      const own = columns.filter((each) => each['table'] === table)
      const names = own.map(({ column }) => `"${column}"`).join(', ')
      const row = own.map(({ column, type }) => {
        const word = words[String(column)]
        return word === undefined ? values[String(type)] : `'${word}'`
      })
      // A table waits until those that it refers to have their row.
      await query(`insert into "${table}" (${names}) values (${row.join(', ')})`).catch((error: unknown) => {
        failed.push({ table, error })
      })
    }
    if (failed.length === waiting.length) throw failed[0]?.error
    waiting = failed.map(({ table }) => table)
  }
}
