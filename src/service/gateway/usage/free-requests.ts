import { errorTable } from '@concordat/node-access-contract/errors'
import { type SQL, sql } from 'drizzle-orm'

/**
 * SQL of the requests in a row that were not charged. The version before does not count them; its refusals by a limit are
 * known by their code.
 */
export const freeRequests: SQL = sql.raw(
  `(case when code = ${errorTable.limitExceeded.code} then requests else free end)`,
)
