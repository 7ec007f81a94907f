import { limits } from '../../generated/contract.js'
import { failure } from '../../generated/errors.js'
import { type JsonValue, type MethodDescriptor, RawJson } from '../rpc/index.js'
import { requireCallAllowed } from './access/call-access.js'
import type { Caller } from './caller.js'
import type { AnswerCall } from './open-network.js'
import { createTurns } from './turns.js'

type CallMethod = (
  method: MethodDescriptor,
  params: readonly JsonValue[],
  caller: Caller,
) => JsonValue | RawJson | Promise<JsonValue | RawJson>

/**
 * Makes what answers a method for a caller, where the caller's key allows it. Reads of a caller who has left are given
 * up. The logs of a batch are held until it is answered, up to the contract's `logsHeldBytes`; the calls that pass it
 * are refused.
 * @param answer answers a method on each network
 */
export function createCallMethod(answer: Readonly<Record<Caller['network'], AnswerCall>>): CallMethod {
  // While it is made, an answer of logs takes twenty times its size in memory.
  const turns = createTurns(limits.logCallsAtOncePerUser)

  return (method, params, caller) => {
    requireCallAllowed(caller.access, method.name, params)
    if (method.name !== 'eth_getLogs') return answer[caller.network](method.name, params, caller)
    return turns.run(caller.userId, async () => {
      if (isFull(caller)) throw failure('logsTooLargeInBatch')
      const text = JSON.stringify(await answer[caller.network](method.name, params, caller))
      caller.heldBytes += text.length
      if (isFull(caller)) throw failure('logsTooLargeInBatch')
      return new RawJson(text)
    })
  }
}

const isFull = ({ inBatch, heldBytes }: Caller) => inBatch && heldBytes > limits.logsHeldBytes
