import { limits } from '../../../generated/contract.js'
import { failure } from '../../../generated/errors.js'
import type { JsonValue, MethodDescriptor, RawJson, RawJsonStream } from '../../rpc/index.js'
import { createTurns } from '../../util/turns.js'
import { requireCallAllowed } from '../keys/access/call-access.js'
import type { LogRoom } from '../methods/eth-get-logs.js'
import type { AnswerCall, AnswerLogs } from '../networks/open-network.js'
import type { Caller } from './caller.js'

type CallMethod = (
  method: MethodDescriptor,
  params: readonly JsonValue[],
  caller: Caller,
) => JsonValue | RawJson | Promise<JsonValue | RawJson | RawJsonStream>

/**
 * Makes what answers a method for a caller, where the caller's key allows it. Reads of a caller who has left are given
 * up. Logs are held until they are sent, up to the contract's `logsHeldBytes` for all calls of a batch; what is more is
 * sent while it is found, and refused in a batch.
 * @param answer answers a method on each network
 * @param logs answers eth_getLogs on each network
 */
export function createCallMethod(
  answer: Readonly<Record<Caller['network'], AnswerCall>>,
  logs: Readonly<Record<Caller['network'], AnswerLogs>>,
): CallMethod {
  const turns = createTurns(limits.logCallsAtOncePerUser)

  /** The user's next call may begin when nothing is done for this one any more. */
  function inTurn(
    params: readonly JsonValue[],
    caller: Caller,
  ): Promise<JsonValue | RawJson | RawJsonStream> {
    return new Promise((resolve, reject) => {
      const signal = caller.left?.()
      turns
        .run(caller.userId, async () => {
          const options = { signal, trace: caller.trace }
          const { result, done } = await logs[caller.network](params[0], roomOf(caller), options)
          resolve(result)
          await done
        })
        .catch((error: unknown) => {
          // Nobody reads it: what a call is given up with is no failure of ours.
          reject(signal?.aborted === true ? failure('noNode') : error)
        })
    })
  }

  return (method, params, caller) => {
    requireCallAllowed(caller.access, method.name, params)
    if (method.name === 'eth_getLogs') return inTurn(params, caller)
    return answer[caller.network](method.name, params, caller)
  }
}

/** Where a caller's logs are held: one place for all the calls of a request. */
const roomOf = (caller: Caller): LogRoom => ({
  mayStream: !caller.inBatch,
  hold(bytes) {
    if (bytes > 0 && caller.heldBytes + bytes > limits.logsHeldBytes) return false
    caller.heldBytes += bytes
    return true
  },
})
