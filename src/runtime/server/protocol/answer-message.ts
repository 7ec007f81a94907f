import { isUtf8 } from 'node:buffer'
import {
  type JsonValue,
  type MessageProblem,
  type ParsedMessage,
  parseMessage,
  type RawId,
  type RpcError,
} from '@concordat/rpc'
import { discoverMethod } from './discover.js'
import type { Answer } from './encode-answer.js'
import { batchAnswer, type ItemAnswer, singleAnswer } from './encode-answer.js'
import { type Failures, failureError, withoutBody } from './failures.js'
import { type Limits, positiveInteger } from './limits.js'
import { isPromiseLike, mapConcurrently } from './promises.js'
import type { Admission } from './protocol-options.js'

/** A body as bytes in UTF-8, or as text. */
export type Body = Uint8Array | string

/** A parsed body, or the reason why it cannot be parsed. */
export type Message = ParsedMessage | MessageProblem

/** Parses a body within the limits of nesting and of values (RFC 8259, section 8.1). */
export function readMessage(
  body: Body,
  { nestingDepth, bodyValues }: Pick<Limits, 'nestingDepth' | 'bodyValues'>,
): Message {
  if (typeof body === 'string') return parseMessage(body, nestingDepth, bodyValues)
  if (!isUtf8(body)) return 'parseError'
  const buffer = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return parseMessage(buffer.toString('utf8'), nestingDepth, bodyValues)
}

/** The number of calls that a message is charged for: those of a batch, and 1 for everything else. */
export function billedItems(message: Message, { batchItems }: Pick<Limits, 'batchItems'>): number {
  if (typeof message === 'string' || !Array.isArray(message.value)) return 1
  const { length } = message.value
  return length === 0 || length > batchItems ? 1 : length
}

/** Answers the single requests of a message. Nothing here throws or rejects. */
export interface ItemHandler<Context, Item extends ItemAnswer> {
  /** Runs a request. */
  answer(item: JsonValue, rawId: RawId, context: Context, index?: number): Item | Promise<Item>
  /** Answers a request with an error instead of running it. */
  refuse(item: JsonValue, rawId: RawId, error: RpcError, context: Context): Item
  /** Creates an error response without a request: its id is `null`. */
  fail(error: RpcError, context: Context): Item
}

/** The answer to a message, and the answers to its requests, in order. */
export interface AnsweredMessage<Item> {
  readonly answer: Answer
  readonly items: readonly Item[]
}

/** Answers a message with all, some or no admitted requests. */
export type AnswerMessage<Context, Item> = (
  message: Message,
  admission: Admission,
  context: Context,
) => AnsweredMessage<Item> | Promise<AnsweredMessage<Item>>

/** Default limit on the concurrent calls of one batch. */
const defaultBatchCallsAtOnce = 32

/**
 * Creates the function that answers messages: single requests and batches (JSON-RPC 2.0, section 6). In a
 * batch, `rpc.discover` is answered once, and further requests for it are refused as invalid. The result is a
 * promise only if an answer to a request is a promise.
 *
 * @param batchCallsAtOnce limit on the concurrent calls of one batch
 * @throws RangeError unless `batchCallsAtOnce` is a whole number above zero
 */
export function createAnswerMessage<Context, Item extends ItemAnswer>(
  handler: ItemHandler<Context, Item>,
  failures: Failures,
  { batchItems }: Pick<Limits, 'batchItems'>,
  batchCallsAtOnce = defaultBatchCallsAtOnce,
): AnswerMessage<Context, Item> {
  positiveInteger('batchCallsAtOnce', batchCallsAtOnce)

  const single = (item: Item, { headers, status }: Admission): AnsweredMessage<Item> => ({
    answer: withStatus(singleAnswer(item, headers), status),
    items: [item],
  })
  const batch = (items: readonly Item[], { headers, status }: Admission): AnsweredMessage<Item> => ({
    answer: withStatus(batchAnswer(items, headers), status),
    items,
  })
  const discoveredTwice = (): RpcError =>
    failureError(failures.invalidRequest, { detail: `${discoverMethod.name} is answered once in a batch` })
  const refusalOf = ({ error }: Admission): RpcError => error ?? failureError(failures.handlerFailed)

  function batchProblem({ length }: readonly JsonValue[]): RpcError | undefined {
    if (length === 0)
      return failureError(failures.invalidRequest, { detail: 'a batch needs at least one request' })
    return length > batchItems ? failureError(failures.batchTooLarge, { sent: length }) : undefined
  }

  function answerBatch(
    requests: readonly JsonValue[],
    rawIds: ParsedMessage['rawIds'],
    admission: Admission,
    context: Context,
  ): AnsweredMessage<Item> | Promise<AnsweredMessage<Item>> {
    const discovery = requests.findIndex(asksForDocument)
    const items = mapConcurrently(requests.length, batchCallsAtOnce, (index) => {
      const item = requests[index] ?? null
      const rawId = rawIds?.[index]
      if (index >= admission.admitted) return handler.refuse(item, rawId, refusalOf(admission), context)
      if (discovery >= 0 && index > discovery && asksForDocument(item))
        return handler.refuse(item, rawId, discoveredTwice(), context)
      return handler.answer(item, rawId, context, index)
    })
    return isPromiseLike(items) ? items.then((all) => batch(all, admission)) : batch(items, admission)
  }

  return (message, admission, context) => {
    const refusal = admission.admitted < 1 ? refusalOf(admission) : undefined
    if (typeof message === 'string')
      return single(handler.fail(refusal ?? failureError(failures[message]), context), admission)
    const { value, rawIds } = message
    if (isBatch(value)) {
      const problem = refusal ?? batchProblem(value)
      if (problem !== undefined) return single(handler.fail(problem, context), admission)
      return answerBatch(value, rawIds, admission, context)
    }
    if (refusal !== undefined) return single(handler.refuse(value, rawIds?.[0], refusal, context), admission)
    const item = handler.answer(value, rawIds?.[0], context, 0)
    return item instanceof Promise
      ? item.then((settled) => single(settled, admission))
      : single(item, admission)
  }
}

const withStatus = (answer: Answer, status: number | undefined): Answer =>
  status === undefined || (answer.body !== null && withoutBody.includes(status))
    ? answer
    : { ...answer, status }

/**
 * True for a request for the contract (OpenRPC 1.3, service discovery method). The contract is long, so many of these
 * requests would turn a small batch into a huge answer.
 */
const asksForDocument = (item: JsonValue): boolean =>
  typeof item === 'object' && item !== null && 'method' in item && item.method === discoverMethod.name

function isBatch(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
