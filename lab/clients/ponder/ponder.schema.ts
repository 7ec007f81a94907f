import { onchainTable } from 'ponder'

export const increase = onchainTable('increase', (column) => ({
  id: column.text().primaryKey(),
  /** What the log says. */
  count: column.bigint().notNull(),
  /** What the contract answered for the block of the log. */
  read: column.bigint().notNull(),
  /** How many balances were read in one turn. */
  balances: column.integer().notNull(),
}))
