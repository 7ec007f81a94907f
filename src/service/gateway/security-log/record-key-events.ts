import type { KeySummary, Keys } from '../keys/index.js'
import type { SecurityActor, SecurityEventKind } from './security-event.js'
import type { SecurityLog } from './security-log.js'

/**
 * Returns keys whose changes are noted in the log of their accounts.
 * @param actor who makes the changes
 */
export function recordKeyEvents(keys: Keys, log: Pick<SecurityLog, 'note'>, actor: SecurityActor): Keys {
  const note = ({ userId, name }: KeySummary, kind: SecurityEventKind) =>
    log.note({ of: { userId }, kind, actor, detail: name })
  const noted =
    <Arguments extends readonly unknown[]>(
      kind: SecurityEventKind,
      change: (...given: Arguments) => Promise<KeySummary>,
    ) =>
    async (...given: Arguments) => {
      const key = await change(...given)
      await note(key, kind)
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
