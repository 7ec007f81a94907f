export { backupDatabase, type DatabasePlace, restoreDatabase } from './backup.js'
export type { OnProgress } from './copy.js'
export { moveDatabase } from './move.js'
