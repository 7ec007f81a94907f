import type { JsonObject } from '@concordat/rpc'
import { codeOf, type FaultHooks, isObject, onAnswer, refused } from 'concordat/conformance'

/** Members that some clients send and that cannot change a result, because a key belongs to one network. */
export const networkMembers = ['chain', 'chainId', 'common', 'hardfork', 'networkId']

/** Rejects calls whose first parameter has one of the given members. */
export function onMembers(methods: readonly string[], names: readonly string[]): FaultHooks {
  return onAnswer(methods, (answer, { params: [first] }) =>
    isObject(first) && names.some((name) => Object.hasOwn(first, name))
      ? refused(answer, -32602, 'unknown member')
      : answer,
  )
}

/** Removes the name of an unlisted member from the error. */
export function onUnlisted(methods: readonly string[], names: readonly string[]): FaultHooks {
  return onAnswer(methods, (answer, { params: [first] }) =>
    isObject(first) && Object.keys(first).some((name) => !names.includes(name)) && codeOf(answer) === -32602
      ? refused(answer, -32602, 'invalid parameters')
      : answer,
  )
}

/** Picks the members with the given names. */
export function only(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)))
}

/** Renames members that differ from a given name only in case. The last of two wins. */
export function ignoringCase(object: JsonObject, names: readonly string[]): JsonObject {
  const fold = (name: string) => name.toUpperCase()
  const known = new Map(names.map((name) => [fold(name), name]))
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [known.get(fold(name)) ?? name, value]),
  )
}
