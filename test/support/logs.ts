import { limits } from '../../generated/contract.js'
import { getLogs, type LogLimits, type LogRoom } from '../../src/gateway/methods/eth-get-logs.js'
import type { NodeCall } from '../../src/gateway/nodes/node-call.js'
import { type JsonObject, type JsonSource, type JsonValue, RawJsonStream } from '../../src/rpc/index.js'

/** Room for everything. */
export const unlimited: LogRoom = { hold: () => true, mayStream: true }

/** Reads what is sent piece by piece to its end. */
export async function readAll(source: JsonSource): Promise<string> {
  const pieces: Uint8Array[] = []
  for (let piece = await source.next(); piece !== undefined; piece = await source.next())
    pieces.push(Uint8Array.from(piece))
  return Buffer.concat(pieces).toString()
}

/** The logs of an answer of eth_getLogs, be it held or sent while it is made. */
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
