import type { JsonObject, JsonValue } from '@concordat/rpc'
import { isObject } from '../ethereum/index.js'
import { OperatorError } from '../util/index.js'
import type { KeySummary } from './key-summary.js'
import type { Keys, KeyWithText } from './keys.js'

/**
 * Creates the commands of `concordat keys`, with JSON as input and output. The service runs them for its control
 * socket; the command line runs them itself while no service is running. New users get the origin `cli`.
 * @throws OperatorError, from each command: `invalid_input` and the errors of {@link Keys}
 */
export function createKeyCommands(keys: Keys): Record<string, (input: JsonValue) => Promise<JsonValue>> {
  return {
    'keys.create': async (input) =>
      withText(
        await keys.create({
          user: { origin: 'cli', email: textOf(input, 'user') },
          network: textOf(input, 'network'),
          name: textOf(input, 'name'),
          description: optionalTextOf(input, 'description'),
        }),
      ),
    'keys.list': async () => (await keys.list()).map(asJson),
    'keys.rotate': async (input) =>
      withText(await keys.rotate(textOf(input, 'id'), optionalNumberOf(input, 'graceHours'))),
    'keys.set': async (input) => asJson(await keys.set(textOf(input, 'id'), changesOf(input))),
    'keys.disable': async (input) => asJson(await keys.disable(textOf(input, 'id'))),
    'keys.enable': async (input) => asJson(await keys.enable(textOf(input, 'id'))),
    'keys.delete': async (input) => asJson(await keys.delete(textOf(input, 'id'))),
  }
}

function asJson(summary: KeySummary): JsonObject {
  const {
    createdAt,
    lastUsedAt,
    graceUntil,
    lastRotation: _rotation,
    changedAt: _changed,
    access,
    ...key
  } = summary
  return {
    ...key,
    access: access as JsonObject,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    graceUntil: graceUntil?.toISOString() ?? null,
  }
}

function withText({ key, text }: KeyWithText): JsonObject {
  return { ...asJson(key), text }
}

/** The changes of `keys.set`. `Keys.set` validates limits and rules. */
function changesOf(input: JsonValue): Parameters<Keys['set']>[1] {
  const { dailyLimit, monthlyLimit, access } = isObject(input) ? input : {}
  const given = {
    name: optionalTextOf(input, 'name'),
    description: optionalTextOf(input, 'description'),
    dailyLimit,
    monthlyLimit,
    access,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function textOf(input: JsonValue, member: string): string {
  const text = optionalTextOf(input, member)
  if (text === undefined) throw new OperatorError('invalid_input', `${member} is missing`)
  return text
}

function optionalNumberOf(input: JsonValue, member: string): number | undefined {
  const value = isObject(input) && Object.hasOwn(input, member) ? input[member] : undefined
  if (value === undefined || typeof value === 'number') return value
  throw new OperatorError('invalid_input', `${member} must be a number`)
}

function optionalTextOf(input: JsonValue, member: string): string | undefined {
  const value = isObject(input) && Object.hasOwn(input, member) ? input[member] : undefined
  if (value === undefined || typeof value === 'string') return value
  throw new OperatorError('invalid_input', `${member} must be a string`)
}
