import { failure } from '@concordat/node-access-contract/errors'
import type { NodeError } from '../nodes/index.js'
import { callObject } from './call-object.js'
import { callerError, nodeCodes } from './error-for-caller.js'
import type { Plan } from './method-code.js'
import { revertError, revertOf } from './revert.js'
import { askAtBlock, requireState } from './state.js'

/**
 * Answers eth_call with the return value of a call at a block (specification 4). Every revert becomes error 3
 * of the contract, in any dialect. A call that cannot run for another reason, such as missing balance or gas,
 * is refused with the node's message. A Rootstock node returns `0x` when gas runs out; it is passed on.
 * @throws RpcError executionReverted, transactionRejected, blockNotFound
 */
export const ethCall: Plan = async (node, profile, params, options) => {
  const [given, selector = 'latest'] = params
  const asked = [callObject(given), selector]
  const { error, result, found } = await askAtBlock(
    node,
    profile,
    asked,
    { ...options, isOwnError: isRevert },
    isRevert,
  )
  if (error === undefined) {
    if (typeof result === 'string') return result
    throw failure('nodeAnsweredRubbish', { cause: result })
  }
  const revert = revertOf(error)
  if (revert !== undefined) throw revertError(revert, error)
  await requireState(node, found ?? selector, options)
  if (error.code === nodeCodes.invalidParams || error.code === nodeCodes.invalidRequest)
    throw callerError(error)
  const message = withoutReason.test(error.message) ? notRun : error.message
  throw failure('transactionRejected', { message, cause: error })
}

/** Rootstock's words for every internal error. Other nodes give the reason, such as a lack of gas. */
const withoutReason = /^internal (?:server )?error\.?$/i

const notRun = 'The call cannot run: the node gives no reason. Its gas may be below the intrinsic cost'

const isRevert = (error: NodeError) => revertOf(error) !== undefined
