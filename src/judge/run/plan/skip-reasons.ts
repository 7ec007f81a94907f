import type { Effect } from '../../report/index.js'
import type { Scenario } from '../../scenario/scenario.js'
import type { Transport } from '../../send/connection-url.js'
import type { ConnectionMethods } from '../../terms/contract-terms.js'
import { transportReason } from './transport-reasons.js'

/** Reason for not running a case. */
export interface SkipReason {
  readonly verdict: 'not-applicable' | 'not-run' | 'gave-up'
  readonly reason: string
  /** Key that groups the cases of one cause. */
  readonly cause?: string | undefined
  /** The case that did not pass, if that is the reason. */
  readonly waitedFor?: string | undefined
}

/** Facts that a case may need, each with the option or variable that supplies it. */
export const facts: Readonly<Record<string, string>> = {
  key: 'it needs a key in the URL',
  'second-key': 'it needs another key of the same user: --second-key URL',
  'revoked-key': 'it needs a key that was deleted or disabled: --revoked-key URL',
  'contracts-key':
    'it needs a key whose list of contracts contains only 0x00000000000000000000000000000000c0c0da7a: --key contracts=URL',
  'methods-key': 'it needs a key whose list of methods contains exactly one method: --key methods=URL',
  'origins-key':
    'it needs a key whose list of origins contains only https://allowed.example: --key origins=URL',
  'clients-key': "it needs a key whose list of addresses does not contain this machine's: --key clients=URL",
  'unserved-key': 'it needs a key of a network that the service does not serve: --key unserved=URL',
  'token-key': 'it needs a key that requires a JSON Web Token: --key token=URL',
  'limited-key':
    'it needs a key of the same user with its own lower limit, and at most 500 remaining requests: --key limited=URL',
  token: 'it needs a valid token for the key: CONCORDAT_CONFORM_TOKEN',
  patience: 'it waits for a timeout of the service: --timeout 60',
  'funded-key': 'it needs an account with funds: its private key in CONCORDAT_CONFORM_FUNDED_KEY',
}

/** True when a need names a fact about the run instead of a fixture. */
export function isFact(name: string): boolean {
  return Object.hasOwn(facts, name) || name.endsWith('-key')
}

/** Explains how to supply a fact. Returns undefined for a fixture. */
function remedyOf(name: string): string | undefined {
  if (Object.hasOwn(facts, name)) return facts[name]
  return isFact(name) ? `it needs a key: --key ${name.slice(0, -'-key'.length)}=URL` : undefined
}

/** Reasons for not running cases whose effect is not allowed. */
const effects: Readonly<Record<Exclude<Effect, 'read'>, string>> = {
  write: 'it writes: --allow write',
  'spends-quota': 'it spends the quota: --allow spends-quota',
}

/** Network, known facts and allowed effects of a run. */
export interface Circumstances {
  readonly network: string | undefined
  readonly facts: ReadonlySet<string>
  readonly allowed: ReadonlySet<Effect>
  readonly transport: Transport
  readonly connectionMethods: ConnectionMethods
}

/**
 * Returns the reason why a case cannot run, before any request is sent. Returns undefined if the case can
 * run.
 */
export function skipReasonOf(
  scenario: Scenario,
  { network, facts: known, allowed, transport, connectionMethods }: Circumstances,
): SkipReason | undefined {
  const { networks, needs, effect, notRun } = scenario
  if (notRun !== undefined) return { verdict: 'not-run', reason: notRun }
  const onTransport = transportReason(scenario, connectionMethods, transport)
  if (onTransport !== undefined) return { verdict: 'not-applicable', reason: onTransport }
  if (networks.length > 0 && (network === undefined || !networks.includes(network))) {
    return { verdict: 'not-applicable', reason: `it applies to the network ${networks.join(' or ')}` }
  }
  for (const need of needs) {
    const reason = remedyOf(need)
    if (reason !== undefined && !known.has(need)) return { verdict: 'not-applicable', reason }
  }
  if (effect !== 'read' && !allowed.has(effect)) return { verdict: 'not-run', reason: effects[effect] }
  return undefined
}
