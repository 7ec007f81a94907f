import { failure } from '../../../generated/errors.js'
import type { JsonValue, RpcError } from '../../rpc/index.js'
import { isHex } from '../ethereum/index.js'
import type { NodeError } from './node-call.js'

/** Why a node brought no answer that can be used. */
export type NodeProblem =
  /** The connection could not be made, or broke. */
  | { readonly kind: 'connection'; readonly cause: unknown }
  /** The time was over. */
  | { readonly kind: 'slow'; readonly milliseconds: number }
  /** What came is no answer to the call, or says that none is to be had. */
  | { readonly kind: 'rubbish'; readonly status: number; readonly text: string }
  /** The result is not of the method's kind, or older than what was told already. */
  | { readonly kind: 'result'; readonly result: JsonValue }

/** Characters of an unusable answer that the log is told. */
const beginning = 200

/** Statuses with which a node, or what stands before it, says that it takes no calls now, or none of ours. */
const closed = new Set([401, 402, 403, 407, 408, 429, 503])

/** undici's own time-out of making a connection. */
const connectTimeout = 'UND_ERR_CONNECT_TIMEOUT'

/**
 * Makes a node's problem the contract's failure. Its cause names the node as configuration does; addresses and
 * credentials of the node are taken out of everything that came from outside.
 * @param node the node's name
 * @param redact takes the node's address and credentials out of a text
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

/** A value as JSON for the log: of a large one only the first values, because a node can send 100,000. */
function sketch(value: JsonValue): string {
  let left = beginning
  return JSON.stringify(value, (_, part: JsonValue) => {
    if (left === 0) return undefined
    left--
    return typeof part === 'string' ? part.slice(0, 10 * beginning) : part
  })
}

/** Takes a node's address and credentials out of its own words, and out of what it adds to them. */
export function withoutSecrets(
  { code, message, data }: NodeError,
  redact: (text: string) => string,
): NodeError {
  const told = { code, message: redact(message) }
  if (data === undefined) return told
  return { ...told, data: isHex(data) ? data : JSON.parse(redact(JSON.stringify(data))) }
}
