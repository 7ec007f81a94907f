import type { JsonValue, MessageProblem, ParsedMessage, RpcError } from '../rpc/index.js'
import { type Failures, failureError } from './failures.js'
import { inOrder, isPromiseLike } from './in-order.js'
import type { ItemHandler } from './item-handler.js'
import type { Limits } from './limits.js'
import type { Admission, Answer } from './protocol-options.js'
import { batchAnswer, singleAnswer } from './single-answer.js'

/** What a body turned out to be. */
export type Message = ParsedMessage | MessageProblem

/** Answers a body of which some items, all or none were admitted. */
export type AnswerMessage<Context> = (
  message: Message,
  admission: Admission,
  context: Context,
) => Answer | Promise<Answer>

/** Default number of calls of one batch that run concurrently. */
const defaultBatchCallsAtOnce = 32

/**
 * Makes the step between admission and the single requests: single or batch, status and headers (JSON-RPC 2.0, section 6).
 *
 * @param batchCallsAtOnce how many calls of one batch run concurrently
 * @throws RangeError unless `batchCallsAtOnce` is a whole number above zero
 */
export function createAnswerMessage<Context>(
  items: ItemHandler<Context>,
  failures: Failures,
  limits: Pick<Limits, 'batchItems'>,
  batchCallsAtOnce = defaultBatchCallsAtOnce,
): AnswerMessage<Context> {
  if (!Number.isInteger(batchCallsAtOnce) || batchCallsAtOnce < 1)
    throw new RangeError(`batchCallsAtOnce must be a whole number above zero, and is ${batchCallsAtOnce}`)
  function batchProblem(batch: readonly JsonValue[]): RpcError | undefined {
    if (batch.length === 0) {
      return failureError(failures.invalidRequest, { detail: 'a batch holds at least one request' })
    }
    return batch.length > limits.batchItems ? failureError(failures.batchTooLarge) : undefined
  }

  function answerBatch(
    batch: readonly JsonValue[],
    rawIds: ParsedMessage['rawIds'],
    { admitted, headers, error = failureError(failures.handlerFailed) }: Admission,
    context: Context,
  ): Answer | Promise<Answer> {
    const answers = inOrder(batch.length, batchCallsAtOnce, (index) => {
      const item = batch[index] ?? null
      const rawId = rawIds?.[index]
      return index < admitted ? items.answer(item, rawId, context) : items.refuse(item, rawId, error, context)
    })
    return isPromiseLike(answers)
      ? answers.then((all) => batchAnswer(all, headers))
      : batchAnswer(answers, headers)
  }

  return function answerMessage(message, admission, context) {
    const { admitted, headers } = admission
    const refusal = admitted < 1 ? (admission.error ?? failureError(failures.handlerFailed)) : undefined
    if (typeof message === 'string') {
      return singleAnswer(items.fail(refusal ?? failureError(failures[message]), context), headers)
    }
    const { value, rawIds } = message
    if (isBatch(value)) {
      const problem = refusal ?? batchProblem(value)
      return problem
        ? singleAnswer(items.fail(problem, context), headers)
        : answerBatch(value, rawIds, admission, context)
    }
    const answer = refusal
      ? items.refuse(value, rawIds?.[0], refusal, context)
      : items.answer(value, rawIds?.[0], context)
    return isPromiseLike(answer)
      ? answer.then((settled) => singleAnswer(settled, headers))
      : singleAnswer(answer, headers)
  }
}

function isBatch(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
