import { codeOf, type FaultHooks, isObject, onAnswer, refused } from 'concordat/conformance'
import type { JsonObject } from 'concordat/rpc'

/** Members that some clients send and that cannot change a result: a key is for one network. */
export const networkMembers = ['chain', 'chainId', 'common', 'hardfork', 'networkId']

/** Refuses calls whose first parameter has one of some members. */
export function onMembers(methods: readonly string[], names: readonly string[]): FaultHooks {
  return onAnswer(methods, (answer, { params: [first] }) =>
    isObject(first) && names.some((name) => Object.hasOwn(first, name))
      ? refused(answer, -32602, 'unknown member')
      : answer,
  )
}

/** Leaves the name out of the refusal of a member that is not among some names. */
export function onUnlisted(methods: readonly string[], names: readonly string[]): FaultHooks {
  return onAnswer(methods, (answer, { params: [first] }) =>
    isObject(first) && Object.keys(first).some((name) => !names.includes(name)) && codeOf(answer) === -32602
      ? refused(answer, -32602, 'invalid parameters')
      : answer,
  )
}

/** An object with the members of some names alone. */
export function only(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)))
}

/** An object whose members have the given names in place of names that differ in case; the last of two counts. */
export function ignoringCase(object: JsonObject, names: readonly string[]): JsonObject {
  const fold = (name: string) => name.toUpperCase()
  const known = new Map(names.map((name) => [fold(name), name]))
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [known.get(fold(name)) ?? name, value]),
  )
}
