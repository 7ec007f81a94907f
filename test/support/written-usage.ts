import { randomUUID } from 'node:crypto'
import type { Database } from '../../src/service/gateway/store/index.js'
import { writeUsage } from '../../src/service/gateway/usage/index.js'
import type { UsageRow } from '../../src/service/gateway/usage/usage.js'

/** Writes rows of usage, each as a batch of a new process. */
export async function writeRows(db: Database, rows: readonly UsageRow[]): Promise<void> {
  const replicaId = `rep_${randomUUID()}`
  for (const [at, row] of rows.entries()) await writeUsage(db, replicaId, { number: at + 1, rows: [row] })
}
