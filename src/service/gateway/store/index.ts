export type { AccessRules, JwtKey } from './access-rules.js'
export { type Batch, type BatchWriter, createBatchWriter, listOf, unlessWritten } from './batch-writer.js'
export { QueryError, type RunQuery, violates } from './connection.js'
export { CONTROL_SOCKET, type DataFolder, LEASE_JOURNAL } from './data-folder.js'
export { ago, deleteOldRows } from './delete-old-rows.js'
export { socketPathIn } from './folder-socket.js'
export { createFormerUsers, type FormerUser, formerUsersOver } from './former-users.js'
export { isUser } from './is-user.js'
export { newId, randomText } from './new-id.js'
export { type Database, type OpenDatabase, openServerDatabase, openStore, type Store } from './open-store.js'
export { isSharedWithOlderVersion, joinReplicas } from './replica.js'
export {
  apiKeys,
  attempts,
  credentials,
  failures,
  formerSecrets,
  quotaCounts,
  quotaNotices,
  securityEvents,
  sessions,
  twoFactors,
  usageHours,
  usageMinutes,
  users,
  verifications,
} from './schema.js'
export { createSecret, loadSecret, requireSharedSecret, type Secret } from './secret.js'
export type { PoolState } from './server-connection.js'
export {
  backupDatabase,
  type DatabasePlace,
  moveDatabase,
  type OnProgress,
  restoreDatabase,
} from './transfer/index.js'
export { createVacuum } from './vacuum.js'
