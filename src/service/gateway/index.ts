export { type KeyCommands, keyCommandsOn } from './administration/index.js'
export {
  ConfigError,
  type ControlClient,
  connectControl,
  defaults,
  type Gateway,
  type GatewayOptions,
  readSettings,
  reloadableHelp,
  type Settings,
  serveControl,
  startGateway,
  variablesHelp,
} from './app/index.js'
export { developmentAccounts, EmbeddedChainError } from './dev-chain/index.js'
export {
  readDescription,
  readEmail,
  readName,
  readNetwork,
} from './keys/index.js'
export { byNetwork, networkNames } from './profiles/index.js'
export {
  backupDatabase,
  type DatabasePlace,
  loadSecret,
  moveDatabase,
  type OnProgress,
  type OpenDatabase,
  openServerDatabase,
  openStore,
  QueryError,
  requireSharedSecret,
  restoreDatabase,
  type Secret,
} from './store/index.js'
export { createLog, type Log } from './telemetry/index.js'
export {
  ListenError,
  OperatorError,
  type OperatorErrorCode,
  reasonOf,
  systemCode,
} from './util/index.js'
