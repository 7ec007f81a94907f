export { recordKeyEvents } from './record-key-events.js'
export type { NewSecurityEvent, SecurityEvent, SecurityEventKind } from './security-event.js'
export { createSecurityLog, deleteOldSecurityEvents, type SecurityLog } from './security-log.js'
