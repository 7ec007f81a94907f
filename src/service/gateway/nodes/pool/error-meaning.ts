import type { NodeCallOptions, NodeError } from '../node-call.js'
import { withoutSecrets } from '../node-problem.js'
import type { PoolNode } from './pool-node.js'

const methodNotFound = -32601
const invalidParams = -32602
const internalError = -32603
/** Hardhat's code for an unknown method (EIP-1474). */
const methodNotSupported = -32004
const limitExceeded = -32005

/** What an error of a node means for the call. */
export interface Refusal {
  /** The error without the node's address and credentials. */
  readonly error: NodeError
  /** True when the node cannot answer the call, and another one may. */
  readonly isForAnother: boolean
  /** True for a read that another node may answer, unless the state of a block is missing. */
  readonly isReadRefused: boolean
  /** True for an internal error of a read. */
  readonly isInternal: boolean
  /** True for an error of the call itself, such as a revert. */
  readonly isOwn: boolean
}

/** Reads an error of a node. A refused form of a call is remembered. */
export function readErrorMeaning(given: NodeError, options: NodeCallOptions, node: PoolNode): Refusal {
  const { technique, once, mayDoBetter, isOwnError } = options
  const code = given.code === methodNotSupported ? methodNotFound : given.code
  const error = withoutSecrets({ ...given, code }, node.redact)
  const isOwn = isOwnError?.(error) === true
  const isInternal = code === internalError && once !== true && !isOwn
  if (technique !== undefined && (code === invalidParams || code === methodNotFound))
    node.refuses.add(technique)
  // Callers that know the limits of nodes decide through `mayDoBetter` which of these errors to retry.
  const isOverloaded = code === limitExceeded && mayDoBetter === undefined
  // The parameters already passed the contract's validation, so another node may accept them.
  const isInvalid = code === invalidParams && once !== true
  return {
    error,
    isForAnother: code === methodNotFound || isOverloaded || mayDoBetter?.(error) === true,
    isReadRefused: (isInvalid || isInternal) && mayDoBetter === undefined,
    isInternal,
    isOwn,
  }
}
