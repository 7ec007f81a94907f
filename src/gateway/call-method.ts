import { limits } from '../../generated/contract.js'
import { failure } from '../../generated/errors.js'
import { type JsonValue, type MethodDescriptor, RawJson } from '../rpc/index.js'
import { requireCallAllowed } from './access/call-access.js'
import type { Caller } from './caller.js'
import type { Forward } from './policy/forwarder.js'
import { createTurns } from './turns.js'

type CallMethod = (
  method: MethodDescriptor,
  params: readonly JsonValue[],
  caller: Caller,
) => Promise<JsonValue | RawJson>

/**
 * Makes what answers a method for a caller, where its key allows it. Reads of a caller who has left are given up. The logs of a batch are held
 * until it is answered, up to the contract's `logsHeldBytes`; the calls that pass it are refused.
 * @param forward answers a method on each network
 */
export function createCallMethod(forward: Readonly<Record<Caller['network'], Forward>>): CallMethod {
  // While it is made, an answer of logs takes twenty times its size in memory.
  const turns = createTurns(limits.logCallsAtOncePerUser)

  async function ask(
    method: MethodDescriptor,
    params: readonly JsonValue[],
    caller: Caller,
  ): Promise<JsonValue> {
    const local = method.extensions['x-local'] === true
    const signal = local || method.extensions['x-effect'] !== 'read' ? undefined : caller.left?.()
    try {
      return await forward[caller.network](method.name, params, { signal, trace: caller.trace })
    } catch (error) {
      // Nobody reads it: what a call is given up with is no failure of ours.
      throw signal?.aborted === true ? failure('noNode') : error
    }
  }

  return (method, params, caller) => {
    requireCallAllowed(caller.access, method.name, params)
    if (method.name !== 'eth_getLogs') return ask(method, params, caller)
    return turns.run(caller.userId, async () => {
      if (isFull(caller)) throw failure('logsTooLargeInBatch')
      const text = JSON.stringify(await ask(method, params, caller))
      caller.heldBytes += text.length
      if (isFull(caller)) throw failure('logsTooLargeInBatch')
      return new RawJson(text)
    })
  }
}

const isFull = ({ inBatch, heldBytes }: Caller) => inBatch && heldBytes > limits.logsHeldBytes
