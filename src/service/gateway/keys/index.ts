export type { AcceptedKey } from './accepted-key.js'
export {
  createClientAccess,
  type RequireClientAllowed,
  requireContractsAllowed,
  restrictsClient,
} from './access/access-checks.js'
export { createAddressMatch, readAddressRange } from './access/address-range.js'
export { DEVELOPMENT_USER } from './development-key.js'
export { InvalidProperties } from './invalid-properties.js'
export { clientPrefixOf } from './ip-address.js'
export { createKeyCommands } from './key-commands.js'
export { readDescription, readEmail, readName, readNetwork, readReason } from './key-input.js'
export { KeyRefusal, type RefusingRule } from './key-refusal.js'
export type { KeySummary, LastRotation } from './key-summary.js'
export { isKeyText, keyPattern } from './key-text.js'
export { createKeys, type Keys, type KeyWithText } from './keys.js'
export type { Lookup } from './lookup/key-cache.js'
export { KEY_CHANNEL } from './lookup/key-watch.js'
export type { PerKeyState } from './per-key-state.js'
export { reencryptKeys } from './reencrypt-keys.js'
export { createRefusedAddresses, type RefusedAddresses } from './refused-addresses.js'
