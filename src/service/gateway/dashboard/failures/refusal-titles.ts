import type { RefusingRule } from '../../keys/index.js'

/** What refused requests of a key, as its user reads it. */
const refusalTitles: Readonly<Record<RefusingRule, string>> = {
  addresses: 'by your list of client addresses',
  origins: 'by your list of origins',
  tokens: 'because of a missing or invalid token',
  disabled: 'because this key was disabled',
  rotated: 'because of an old URL, from before this key was rotated',
  network: 'because this host does not serve the network of the key',
}

/** Returns the title of a rule; the rule itself for one that this version does not know. */
export const refusalTitle = (rule: string): string => refusalTitles[rule as RefusingRule] ?? rule
