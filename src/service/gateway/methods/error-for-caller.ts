import { failure } from '@concordat/node-access-contract/errors'
import type { JsonValue, RpcError } from '@concordat/rpc'
import type { NodeAnswer, NodeError } from '../nodes/index.js'

/**
 * Error codes with the same meaning on every kind of node (JSON-RPC 2.0, section 5.1), and codes of Rootstock
 * where noted.
 */
export const nodeCodes = {
  methodNotFound: -32601,
  invalidParams: -32602,
  invalidRequest: -32600,
  internalError: -32603,
  limitExceeded: -32005,
  /** Rootstock: the execution took longer than the node allows. */
  executionTimeout: -32011,
  /** Rootstock: a transaction or call ran and failed. */
  executionFailed: -32015,
  /** Rootstock: more blocks or logs than the node returns. */
  overLimit: -32012,
} as const

/**
 * Returns the error for a problem of the node itself: a missing method, overload, a timeout, or a too large
 * answer. Other nodes were asked before, if there are any.
 * @returns undefined when the error is about the call
 */
export function nodeTrouble(error: NodeError): RpcError | undefined {
  switch (error.code) {
    case nodeCodes.methodNotFound:
      return failure('nodeLacksMethod', { cause: error })
    case nodeCodes.limitExceeded:
      return failure('overloaded', { cause: error })
    case nodeCodes.overLimit:
      return failure('nodeAnsweredRubbish', { cause: error })
    case nodeCodes.executionTimeout:
      return failure('nodeTooSlow', { cause: error })
    default:
      return undefined
  }
}

/**
 * Converts a node's error that has no special meaning for the method: an internal error of every node belongs to the
 * call, and other answers are unusable. These include -32602, because the parameters already passed the contract's
 * validation.
 */
export const callerError = (error: NodeError): RpcError =>
  nodeTrouble(error) ??
  failure(error.code === nodeCodes.internalError ? 'nodeFailedCall' : 'nodeAnsweredRubbish', { cause: error })

/**
 * Returns the result of an answer.
 * @throws RpcError the error of {@link callerError} for an error of the node
 */
export function resultOf(answer: NodeAnswer): JsonValue {
  if (answer.error !== undefined) throw callerError(answer.error)
  return answer.result
}
