import type { JsonObject, JsonValue } from '../../rpc/index.js'
import { OperatorError } from '../store/operator-error.js'
import type { KeySummary } from './key-summary.js'
import type { Keys, KeyWithText } from './keys.js'

/**
 * The commands of `concordat keys`, from and to JSON: run by the service behind its control socket, and by
 * the command line itself while no service runs. Users named here first are of origin `cli`.
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
    'keys.rotate': async (input) => withText(await keys.rotate(textOf(input, 'id'))),
    'keys.set': async (input) => asJson(await keys.set(textOf(input, 'id'), changesOf(input))),
    'keys.disable': async (input) => asJson(await keys.disable(textOf(input, 'id'))),
    'keys.enable': async (input) => asJson(await keys.enable(textOf(input, 'id'))),
    'keys.delete': async (input) => asJson(await keys.delete(textOf(input, 'id'))),
  }
}

function asJson({ createdAt, lastUsedAt, access, ...key }: KeySummary): JsonObject {
  return {
    ...key,
    access: access as JsonObject,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }
}

function withText({ key, text }: KeyWithText): JsonObject {
  return { ...asJson(key), text }
}

/** What is to be changed; limits and rules are checked by the keys themselves. */
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

function optionalTextOf(input: JsonValue, member: string): string | undefined {
  const value = isObject(input) && Object.hasOwn(input, member) ? input[member] : undefined
  if (value === undefined || typeof value === 'string') return value
  throw new OperatorError('invalid_input', `${member} must be a text`)
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
