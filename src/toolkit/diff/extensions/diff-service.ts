import type { JsonValue } from '../../contract/index.js'
import type { Change } from '../change.js'
import { type Collection, diffCollection } from './diff-collection.js'

/** Compares `x-networks`. A removed network breaks its clients, and an added one is compatible. */
export function diffNetworks(before: JsonValue | undefined, after: JsonValue | undefined): readonly Change[] {
  const rule: Collection = { noun: 'network', added: [], removed: ['clients'] }
  return diffCollection(rule, '#/info/x-networks', before, after)
}

/** Compares `x-failures`. Like errors, a removed failure breaks servers, and an added one is compatible. */
export function diffFailures(before: JsonValue | undefined, after: JsonValue | undefined): readonly Change[] {
  const rule: Collection = { noun: 'failure', added: [], removed: ['servers'] }
  return diffCollection(rule, '#/info/x-failures', before, after)
}
