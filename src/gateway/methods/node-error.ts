import { failure } from '../../../generated/errors.js'
import type { JsonValue, RpcError } from '../../rpc/index.js'
import type { NodeAnswer, NodeError } from '../nodes/index.js'

/** Codes that mean the same on every kind of node (JSON-RPC 2.0, section 5.1; Rootstock's own where said). */
export const nodeCodes = {
  methodNotFound: -32601,
  invalidParams: -32602,
  invalidRequest: -32600,
  internalError: -32603,
  limitExceeded: -32005,
  /** Rootstock: the execution took longer than the node allows. */
  executionTimeout: -32011,
  /** Rootstock: more blocks or logs than the node answers. */
  overLimit: -32012,
} as const

/**
 * Says what is wrong with the node rather than with the call: it lacks the method, is overloaded or too slow, or its
 * answer was larger than it gives, or than is read.
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
 * Makes a node's error the caller's where no rule of the method has another meaning for it: the answer cannot be used.
 * A node's -32602 is no exception, since the contract has accepted the parameters.
 */
export const callerError = (error: NodeError): RpcError =>
  nodeTrouble(error) ?? failure('nodeAnsweredRubbish', { cause: error })

/**
 * Takes the result out of an answer.
 * @throws RpcError what {@link callerError} makes of a node's error
 */
export function resultOf(answer: NodeAnswer): JsonValue {
  if (answer.error !== undefined) throw callerError(answer.error)
  return answer.result
}
