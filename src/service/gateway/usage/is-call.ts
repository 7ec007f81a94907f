import { type SQL, sql } from 'drizzle-orm'
import { refusedPrefix } from './usage.js'

/** SQL that is true for rows of calls, and false for rows of refused requests. */
export const isCall: SQL = sql.raw(`not starts_with(method, '${refusedPrefix}')`)
