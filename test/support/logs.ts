import { limits } from '../../generated/contract.js'
import {
  type JsonObject,
  type JsonSource,
  type JsonValue,
  RawJsonStream,
} from '../../src/runtime/rpc/index.js'
import { getLogs, type LogLimits, type LogRoom } from '../../src/service/gateway/methods/eth-get-logs.js'
import type { NodeCall } from '../../src/service/gateway/nodes/index.js'

/** A byte budget without a limit. */
export const unlimited: LogRoom = { hold: () => true, mayStream: true }

/** Reads a stream to its end. */
export async function readAll(source: JsonSource): Promise<string> {
  const pieces: Uint8Array[] = []
  for (let piece = await source.next(); piece !== undefined; piece = await source.next())
    pieces.push(Uint8Array.from(piece))
  return Buffer.concat(pieces).toString()
}

/** The logs of an `eth_getLogs` answer, held or streamed. */
export async function logsOf(
  call: NodeCall,
  filter: JsonValue | undefined,
  own: LogLimits = limits,
  room = unlimited,
): Promise<readonly JsonObject[]> {
  const { result, done } = await getLogs(call, filter, own, room)
  const text =
    result instanceof RawJsonStream ? await readAll(result.source) : Buffer.from(result.text).toString()
  await done
  return JSON.parse(text)
}
