import { failure } from '@concordat/node-access-contract/errors'
import type { JsonValue, RpcError } from '@concordat/rpc'
import { isHex } from '../ethereum/index.js'
import type { NodeError } from './node-call.js'

/** The reason for a missing or unusable answer of a node. */
export type NodeProblem =
  /** The connection failed or broke. */
  | { readonly kind: 'connection'; readonly cause: unknown }
  /** The node answered 429. `retryAfterMs` is its `Retry-After` in milliseconds, if it sent one. */
  | { readonly kind: 'limited'; readonly retryAfterMs: number | undefined; readonly text: string }
  /** The deadline passed. */
  | { readonly kind: 'slow'; readonly milliseconds: number }
  /** The response is not an answer to the call, or its status refuses the call. */
  | { readonly kind: 'rubbish'; readonly status: number; readonly text: string }
  /** The result has the wrong type, or is about another object than the requested one. */
  | { readonly kind: 'result'; readonly result: JsonValue }

/** Maximum length of an unusable answer in the log, in characters. */
const beginning = 200

/** HTTP status with which a node limits the rate of calls. */
export const limitedStatus = 429

/** Statuses with which a node or its proxy refuses calls temporarily or permanently. */
const closed = new Set([401, 402, 403, 407, 408, 503])

/** True for a response that does not answer the call, unless its status refuses all calls. */
export const isUnusableAnswer = (problem: NodeProblem) =>
  problem.kind === 'result' || (problem.kind === 'rubbish' && !closed.has(problem.status))

/** undici's code for a connection timeout. */
const connectTimeout = 'UND_ERR_CONNECT_TIMEOUT'

/**
 * Converts a node's problem to an error of the contract. The cause contains the node's configured name.
 * Addresses and credentials are removed from all text that came from outside.
 * @param node the node's name
 * @param redact removes the node's address and credentials from a text
 */
export function failureOf(node: string, problem: NodeProblem, redact: (text: string) => string): RpcError {
  const text = (value: string) => redact(value.slice(0, 10 * beginning)).slice(0, beginning)
  switch (problem.kind) {
    case 'connection': {
      const { cause } = problem
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
      const reason = redact(cause instanceof Error ? cause.message : String(cause))
      return failure(code === connectTimeout ? 'nodeTooSlow' : 'noNode', { cause: { node, reason, code } })
    }
    case 'slow':
      return failure('nodeTooSlow', {
        cause: { node, reason: `no answer within ${problem.milliseconds} ms` },
      })
    case 'limited':
      return failure('noNode', { cause: { node, status: limitedStatus, beginning: text(problem.text) } })
    case 'rubbish': {
      const cause = { node, status: problem.status, beginning: text(problem.text) }
      return failure(closed.has(problem.status) ? 'noNode' : 'nodeAnsweredRubbish', { cause })
    }
    case 'result':
      return failure('nodeAnsweredRubbish', {
        cause: {
          node,
          beginning: text(sketch(problem.result)),
        },
      })
  }
}

/** Serialises the first values of a result for the log, because a node can send 100,000 values. */
function sketch(value: JsonValue): string {
  let left = beginning
  return JSON.stringify(value, (_, part: JsonValue) => {
    if (left === 0) return undefined
    left--
    return typeof part === 'string' ? part.slice(0, 10 * beginning) : part
  })
}

/** Removes a node's address and credentials from its error. */
export function withoutSecrets(
  { code, message, data }: NodeError,
  redact: (text: string) => string,
): NodeError {
  const visible = { code, message: redact(message) }
  if (data === undefined) return visible
  return { ...visible, data: isHex(data) ? data : JSON.parse(redact(JSON.stringify(data))) }
}
