export { backupDatabase, type DatabasePlace, type OnProgress, restoreDatabase } from './backup.js'
export { moveDatabase } from './move.js'
