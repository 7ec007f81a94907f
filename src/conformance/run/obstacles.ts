import type { Effect, Scenario } from '../scenario/scenario.js'
import type { Obstacle } from './run-case.js'

/** Facts about the target and the run that a case may need, and how each is given. */
export const facts: Readonly<Record<string, string>> = {
  key: 'it needs a key in the URL',
  'second-key': 'it needs another key of the same user: --second-key URL',
  'revoked-key': 'it needs a key that was deleted or disabled: --revoked-key URL',
  'funded-key': 'it needs an account with funds: its private key in CONCORDAT_CONFORM_FUNDED_KEY',
}

/** What an effect that is not allowed would do. */
const effects: Readonly<Record<Exclude<Effect, 'read'>, string>> = {
  write: 'it would write; --allow write',
  'spends-quota': 'it would spend the quota; --allow spends-quota',
}

/** What the run knows and may do. */
export interface Circumstances {
  readonly network: string | undefined
  readonly facts: ReadonlySet<string>
  readonly allowed: ReadonlySet<Effect>
}

/** Why a case cannot run on this target or in this mode, before anything is sent; undefined where it can. */
export function obstacleOf(
  { networks, needs, effect }: Scenario,
  { network, facts: known, allowed }: Circumstances,
): Obstacle | undefined {
  if (networks.length > 0 && (network === undefined || !networks.includes(network))) {
    return { verdict: 'not-applicable', reason: `it is about the network ${networks.join(' or ')}` }
  }
  for (const need of needs) {
    const reason = Object.hasOwn(facts, need) ? facts[need] : undefined
    if (reason !== undefined && !known.has(need)) return { verdict: 'not-applicable', reason }
  }
  if (effect !== 'read' && !allowed.has(effect)) return { verdict: 'not-run', reason: effects[effect] }
  return undefined
}
