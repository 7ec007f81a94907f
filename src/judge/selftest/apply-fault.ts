import type { Ask, ChangedReply, FaultHooks, Forward } from './fault.js'
import { type HttpReply, type HttpRequest, withBody, withHeader } from './http-message.js'
import {
  answerOf,
  type Call,
  type CallAnswer,
  callOf,
  encodeItem,
  type Message,
  readMessage,
} from './rpc-message.js'

/**
 * Applies a fault to one exchange. Unchanged parts keep their bytes, and bodies that are not JSON pass
 * through. In a batch, answers match calls by position. A batch that was rejected as a whole passes through.
 */
export async function applyFault(
  hooks: FaultHooks,
  request: HttpRequest,
  forward: Forward,
): Promise<ChangedReply> {
  if (hooks.exchange) return hooks.exchange(request, forward)
  const received = hooks.request?.(request) ?? request
  const message = hooks.call || hooks.answer ? readMessage(received.body) : undefined
  const calls = message?.items.map(callOf) ?? []
  const sent = message && hooks.call ? withCalls(received, message, calls, hooks.call) : received
  const answer = await forward(sent)
  const answered =
    message && hooks.answer
      ? await withAnswers(answer, message.isBatch, calls, hooks.answer, askOn(request, forward))
      : answer
  const reply = hooks.reply ? await hooks.reply(answered, request, forward) : answered
  return { reply, isChanged: sent !== request || reply !== answer }
}

function withCalls(
  request: HttpRequest,
  message: Message,
  calls: readonly (Call | undefined)[],
  change: (call: Call) => Call,
): HttpRequest {
  const changes = calls.map((call) => {
    const changed = call && change(call)
    return changed === call ? undefined : changed
  })
  return replaceItems(request, message, changes)
}

async function withAnswers(
  reply: HttpReply,
  isBatch: boolean,
  calls: readonly (Call | undefined)[],
  change: NonNullable<FaultHooks['answer']>,
  ask: Ask,
): Promise<HttpReply> {
  const message = readMessage(reply.body)
  if (message?.isBatch !== isBatch || message.items.length !== calls.length) return reply
  const changes: (CallAnswer | undefined)[] = []
  // Sequential, because a fault may keep state.
  for (const [index, item] of message.items.entries()) {
    const answer = answerOf(item)
    const call = calls[index]
    const changed = answer && call && (await change(answer, call, ask))
    changes.push(changed === answer ? undefined : changed)
  }
  return replaceItems(reply, message, changes)
}

function replaceItems<Part extends HttpRequest | HttpReply>(
  part: Part,
  { isBatch, items }: Message,
  changes: readonly (Call | CallAnswer | undefined)[],
): Part {
  if (changes.every((change) => change === undefined)) return part
  const texts = items.map((item, index) => encodeItem(item, changes[index]))
  return withBody(part, isBatch ? `[${texts.join(',')}]` : texts.join(''))
}

/** Further calls use the path and headers of the original request. */
function askOn(request: HttpRequest, forward: Forward): Ask {
  return async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method, params })
    const headers = withHeader(request.headers, 'transfer-encoding', undefined)
    const { body: answer } = await forward(withBody({ ...request, headers }, body))
    const [item] = readMessage(answer)?.items ?? []
    return (item && answerOf(item)) ?? {}
  }
}
