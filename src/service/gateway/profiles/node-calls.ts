import { extensions } from '@concordat/node-access-contract/contract'
import type { JsonValue } from '@concordat/rpc'

/** A node call of the service's own, as in the contract. Names in braces are placeholders. */
export interface StatedNodeCall {
  readonly method: string
  readonly params: readonly JsonValue[]
}

/** The service's own node calls, by purpose (`x-node-calls`). */
export const nodeCalls = extensions['x-node-calls']

/** The purpose of one of the service's own node calls. */
export type NodePurpose = keyof typeof nodeCalls

/**
 * Returns one of the service's own node calls.
 * @param purpose the purpose of the call
 * @param values the values of the placeholders
 * @returns method and parameters
 */
export function nodeCall(
  purpose: NodePurpose,
  values: Readonly<Record<string, JsonValue>> = {},
): readonly [method: string, params: readonly JsonValue[]] {
  const { method, params }: StatedNodeCall = nodeCalls[purpose]
  return [method, params.map((param) => values[placeholder(param) ?? ''] ?? param)]
}

/** The name of a placeholder such as `{block}`; undefined for other values. */
export const placeholder = (param: JsonValue): string | undefined =>
  typeof param === 'string' ? /^\{(\w+)\}$/.exec(param)?.[1] : undefined
