export { ConfigError, defaults, readSettings, type Settings } from './config.js'
export { type ControlClient, connectControl } from './control/control-client.js'
export { serveControl } from './control/control-server.js'
export { type Gateway, type GatewayOptions, startGateway } from './gateway.js'
