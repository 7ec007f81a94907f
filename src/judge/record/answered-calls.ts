import { isArray, isObject, type JsonValue, member, parseJson } from '../../toolkit/contract/index.js'
import type { Exchange } from '../send/exchange.js'

/** An answer and its call; the call is undefined if the request has none with the id of the answer. */
export type Answered = readonly [answer: JsonValue, call: JsonValue | undefined]

/**
 * Returns the answers of a response with their calls. The answers of a batch may have any order (JSON-RPC 2.0, section
 * 6), so they are found by id. Items that are no requests are answered with id null, in order.
 * @param sent the request, parsed
 * @param received the response, parsed
 */
export function answeredCalls(sent: JsonValue, received: JsonValue): readonly Answered[] {
  const waiting = isArray(sent) ? [...sent] : [sent]
  return (isArray(received) ? received : [received]).map((answer) => {
    const id = idOf(answer)
    const at = waiting.findIndex((call) => idOf(call) === id)
    return [answer, at < 0 ? undefined : waiting.splice(at, 1)[0]]
  })
}

/** Returns the id of a request or response. Without one it is null, as in answers to invalid requests. */
function idOf(value: JsonValue): JsonValue {
  return (isObject(value) ? member(value, 'id') : undefined) ?? null
}

/** Bodies of an exchange. Undefined if there is no body, or if it is not JSON. */
interface ExchangeJson {
  readonly sent: JsonValue | undefined
  readonly received: JsonValue | undefined
}

let last: { readonly exchange: Exchange; readonly json: ExchangeJson } | undefined

/**
 * Parses the bodies of an exchange. Several judges read each exchange in turn, so the result for the last one is kept;
 * keeping more would hold the values of all answers in memory.
 */
export function exchangeJson(exchange: Exchange): ExchangeJson {
  if (last?.exchange !== exchange) {
    const { outgoing, reply } = exchange
    const sent = parseJson(Buffer.from(outgoing.body ?? []).toString())
    last = { exchange, json: { sent, received: parseJson(reply?.text ?? '') } }
  }
  return last.json
}
