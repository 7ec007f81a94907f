import type { KeySummary, Keys } from '../keys/index.js'
import type { SecurityActor, SecurityEventKind } from './security-event.js'
import type { SecurityLog } from './security-log.js'

/**
 * Returns keys whose changes are noted in the log of their accounts.
 * @param actor who makes the changes
 */
export function recordKeyEvents(keys: Keys, log: Pick<SecurityLog, 'note'>, actor: SecurityActor): Keys {
  const note = ({ userId, name }: KeySummary, kind: SecurityEventKind, what = '') =>
    log.note({ of: { userId }, kind, actor, detail: what === '' ? name : `${name} (${what})` })
  const noted =
    <Arguments extends readonly unknown[]>(
      kind: SecurityEventKind,
      change: (...given: Arguments) => Promise<KeySummary>,
      describe: (...given: Arguments) => string = () => '',
    ) =>
    async (...given: Arguments) => {
      const key = await change(...given)
      await note(key, kind, describe(...given))
      return key
    }
  return {
    ...keys,
    async create(request) {
      const made = await keys.create(request)
      await note(made.key, 'key-created')
      return made
    },
    async rotate(id, graceHours) {
      const made = await keys.rotate(id, graceHours)
      await note(made.key, 'key-rotated')
      return made
    },
    endGrace: noted('key-changed', keys.endGrace, () => 'old URL ended'),
    set: noted('key-changed', keys.set, (_id, changes) => describeChanges(changes)),
    addJwtKey: noted('key-changed', keys.addJwtKey, (_id, { id }) => `public key ${id} added`),
    removeJwtKey: noted(
      'key-changed',
      keys.removeJwtKey,
      (_id, jwtKeyId) => `public key ${jwtKeyId} removed`,
    ),
    disable: noted('key-disabled', keys.disable),
    enable: noted('key-enabled', keys.enable),
    async setDisabledByOperator(id, isDisabled) {
      const key = await keys.setDisabledByOperator(id, isDisabled)
      await note(key, isDisabled ? 'key-disabled' : 'key-enabled')
      return key
    },
    delete: noted('key-deleted', keys.delete),
  }
}

const titles: Readonly<Record<string, string>> = {
  useCase: 'use case',
  nodeService: 'node service',
  dailyLimit: 'requests per day',
  monthlyLimit: 'requests per month',
  addresses: 'client addresses',
  contracts: 'contract addresses',
  jwt: 'tokens',
}

/** Names the changed settings, and says which of them no longer restrict the key. */
function describeChanges({ access, ...others }: Parameters<Keys['set']>[1]): string {
  return Object.entries({ ...others, ...access })
    .map(([name, value]) => `${titles[name] ?? name}${value === null ? ' removed' : ''}`)
    .join(', ')
}
