import { failure } from '../../../../../generated/errors.js'
import type { JsonObject, JsonValue } from '../../../../../src/runtime/rpc/index.js'
import type {
  LogReceiver,
  LogText,
  NodeAnswer,
  NodeCall,
} from '../../../../../src/service/gateway/nodes/index.js'

/** The scripted answer to a method: a value, or a function of the parameters. */
export type Script = Readonly<
  Record<string, NodeAnswer | ((params: readonly JsonValue[]) => NodeAnswer | Promise<NodeAnswer>)>
>

/** A node with scripted answers that records its calls. Methods without a script are unknown to it. */
export function scriptedNode(script: Script) {
  const asked: [method: string, ...params: JsonValue[]][] = []
  const call: NodeCall = async (method, params, options) => {
    asked.push([method, ...params])
    const line = script[method]
    if (line === undefined) return { error: { code: -32601, message: 'method not found' } }
    const answer = await (typeof line === 'function' ? line(params) : line)
    const isList = Array.isArray(answer.result) && options?.logs !== undefined
    return isList ? told(answer.result as JsonObject[], options.logs) : answer
  }
  return { call, asked, methods: () => asked.map(([method]) => method) }
}

/** Logs go to the consumer; the pool handles invalid answers. */
async function told(logs: readonly JsonObject[], receiver: LogReceiver | undefined): Promise<NodeAnswer> {
  const texts = logs.map((log): LogText => {
    const text = Buffer.from(JSON.stringify(log))
    return { text, block: Number(log['blockNumber']), index: Number(log['logIndex']) }
  })
  const flow = await receiver?.take(texts)
  if (flow === 'rubbish') throw failure('nodeAnsweredRubbish')
  return { result: [] }
}

/** An error response. */
export const error = (code: number, message: string, data?: JsonValue): NodeAnswer => ({
  error: { code, message, ...(data === undefined ? {} : { data }) },
})

/** A result response. */
export const result = (value: JsonValue): NodeAnswer => ({ result: value })

/** `0x` and the same byte 32 times. */
export const hashOf = (byte: string) => `0x${byte.repeat(32)}`

/** `0x` and the same byte 20 times. */
export const addressOf = (byte: string) => `0x${byte.repeat(20)}`
