import {
  isArray,
  isObject,
  type JsonValue,
  member,
  parseJson,
  type Session,
} from '../../toolkit/contract/index.js'
import { cut } from '../report/index.js'
import type { AttemptLimits, AttemptRequest, Connections } from './connections.js'
import { utf8Text } from './decode-body.js'
import type { BesideMessage, Reply, SubscriptionMethods } from './exchange.js'
import { isCall, type MessageConnection, type Received } from './message-connection.js'
import { sendDefaults } from './send-defaults.js'
import { AnswerRefused, StaleConnection } from './transport-trouble.js'

/** Request ids reserved for the runner. Ids of cases are lower. */
export const ownIds = { session: 999_999_997, unsubscribe: 999_999_998, last: 999_999_999 } as const

/** Calls an unknown method. If its response comes first, the message before it gets no response. */
const LAST_REQUEST = `{"jsonrpc":"2.0","id":${ownIds.last},"method":"concordatNoSuchMethod"}`

const OK = 200
const NO_CONTENT = 204

/** Opens a connection. `onEnd` is called when it has ended. */
type OpenConnection = new (
  request: AttemptRequest,
  session: Session,
  maximumBytes: number,
  onEnd: (connection: MessageConnection) => void,
) => MessageConnection

/**
 * Creates connections to WebSockets or programs. A connection begins with the messages that open a session. It carries
 * one request at a time. The message with its id is its response, with status 200; if none has it, the first message
 * without a `method`. After a message that may have no response, the runner sends its own request. If only this request
 * is answered, the reply is empty, with status 204. Each subscription has its own connection, and so has each case that
 * writes.
 * @param keepAlive true to reuse connections
 */
export function createMessageConnections(
  Connection: OpenConnection,
  session: Session,
  keepAlive: boolean,
): Connections {
  const all = new Set<MessageConnection>()
  const idle = new Map<string, MessageConnection[]>()

  const take = (key: string): MessageConnection | undefined => {
    const found = idle.get(key)?.pop()
    if (found?.endedIdle !== undefined) throw found.endedIdle
    return found === undefined || found.isOpen ? found : take(key)
  }

  /** Ends the connections of other cases that write. Such cases run one at a time. */
  const endOthers = (key: string): void => {
    for (const [other, connections] of idle) {
      if (other === key || !isOfCase(other)) continue
      for (const connection of connections) connection.end()
      idle.delete(other)
    }
  }

  return {
    async attempt(request, limits) {
      const key = JSON.stringify([request.url, request.headers, request.session ?? null])
      endOthers(key)
      const reused = keepAlive ? take(key) : undefined
      const connection =
        reused ?? new Connection(request, session, limits.maximumBytes, (ended) => all.delete(ended))
      all.add(connection)
      const stop = () => connection.end()
      limits.signal.addEventListener('abort', stop)
      try {
        const refusal = await connection.opened(limits)
        if (refusal !== undefined) {
          connection.end()
          return refusal
        }
        const opening = reused === undefined ? await openSession(connection, session, limits) : []
        const reply = await exchange(connection, request, limits)
        if (keepAlive && request.subscription === undefined)
          idle.set(key, [...(idle.get(key) ?? []), connection])
        else connection.end()
        return { ...reply, besides: [...opening, ...(reply.besides ?? [])] }
      } catch (error) {
        connection.end()
        const isStale =
          reused !== undefined && error instanceof AnswerRefused && error.trouble.kind === 'reset'
        throw isStale ? new StaleConnection('the connection was closed', { cause: error }) : error
      } finally {
        limits.signal.removeEventListener('abort', stop)
      }
    },
    close() {
      for (const connection of all) connection.end()
    },
  }
}

function isOfCase(key: string): boolean {
  return !key.endsWith(',null]')
}

/**
 * Sends the messages that open a session.
 * @returns the responses, and calls of the server
 * @throws AnswerRefused for an error instead of a result
 */
async function openSession(
  connection: MessageConnection,
  { open }: Session,
  { timeoutMilliseconds }: AttemptLimits,
): Promise<readonly BesideMessage[]> {
  const besides: BesideMessage[] = []
  for (const { method, params, isNotification } of open) {
    const message = { jsonrpc: '2.0', method, ...(params !== undefined && { params }) }
    const sent = JSON.stringify(isNotification ? message : { ...message, id: ownIds.session })
    connection.send(sent)
    if (isNotification) continue
    const answer = await connection.expect(isAnswer, timeoutMilliseconds)
    const { json, bytes } = answer
    const received = utf8Text(bytes) ?? ''
    besides.push(...besidesIn(connection, answer), { sent, received })
    connection.forget()
    if (isObject(json) && member(json, 'result') !== undefined) continue
    const got = cut(received)
    throw new AnswerRefused('other', `The session cannot be opened: ${method} gave no result, but ${got}`)
  }
  return besides
}

/** Sends a message and waits for its response. A subscription is also ended. */
async function exchange(
  connection: MessageConnection,
  { body = new Uint8Array(), subscription }: AttemptRequest,
  limits: AttemptLimits,
): Promise<Reply> {
  const { timeoutMilliseconds } = limits
  const text = utf8Text(body)
  connection.send(text ?? body)
  const ids = requestIds(text)
  const answer =
    ids.size > 0
      ? await answerTo(ids, connection, timeoutMilliseconds)
      : await possibleAnswer(connection, isNotification(text), timeoutMilliseconds)
  if (answer === undefined) {
    const besides = besidesIn(connection, answer)
    connection.forget()
    return { status: NO_CONTENT, headers: {}, bytes: new Uint8Array(), text: '', besides }
  }
  const reply = { status: OK, headers: {}, bytes: answer.bytes, text: utf8Text(answer.bytes) }
  const id = isObject(answer.json) ? member(answer.json, 'result') : undefined
  if (subscription === undefined || id === undefined) {
    const besides = besidesIn(connection, answer)
    connection.forget()
    return { ...reply, besides }
  }
  const from = performance.now()
  await endSubscription(connection, subscription, id, timeoutMilliseconds)
  const messages = connection.received.map(({ bytes }) => utf8Text(bytes) ?? '')
  return { ...reply, messages, afterMilliseconds: performance.now() - from }
}

/** Waits for the response with one of the ids. If none arrives soon after another response, that one is the response. */
async function answerTo(
  ids: ReadonlySet<string>,
  connection: MessageConnection,
  milliseconds: number,
): Promise<Received> {
  const hasId = (message: Received) => isAnswer(message) && answerIds(message).some((id) => ids.has(id))
  const first = await connection.expect(isAnswer, milliseconds)
  if (hasId(first)) return first
  return (await connection.find(hasId, sendDefaults.lateAnswerMilliseconds)) ?? first
}

/**
 * Waits for the response to a message that may have none: sends one more request, which is answered later.
 * @param isSilent true if the message must have no response. Otherwise its response may arrive after the other one.
 */
async function possibleAnswer(
  connection: MessageConnection,
  isSilent: boolean,
  milliseconds: number,
): Promise<Received | undefined> {
  const isLast = (message: Received) => isAnswer(message) && idOf(message) === ownIds.last
  const isOwn = (message: Received) => isAnswer(message) && idOf(message) !== ownIds.last
  connection.send(LAST_REQUEST)
  try {
    const first = await connection.expect(isAnswer, milliseconds)
    if (!isLast(first)) {
      // The response to the last request is still on its way.
      await connection.expect(isLast, milliseconds).catch(() => connection.end())
      return first
    }
    return isSilent ? undefined : await connection.find(isOwn, sendDefaults.lateAnswerMilliseconds)
  } catch (error) {
    if (isSilent && connection.hasEndedWell) return undefined
    throw error
  }
}

/** Messages of the server since the last request, other than the response to it: calls, and responses to no request. */
function besidesIn({ received }: MessageConnection, answer: Received | undefined): readonly BesideMessage[] {
  const isBeside = (message: Received) => message !== answer && idOf(message) !== ownIds.last
  return received.filter(isBeside).map(({ bytes }) => ({ received: utf8Text(bytes) ?? '' }))
}

/**
 * Unsubscribes after the first item, or when none arrives in time. Then sends one more request and waits for its
 * response, so that late items are received too.
 */
async function endSubscription(
  connection: MessageConnection,
  { notification, end, unsubscribe, unsubscribeParam }: SubscriptionMethods,
  id: JsonValue,
  timeoutMilliseconds: number,
): Promise<void> {
  const isItem = ({ json }: Received) => {
    const method = isObject(json) ? member(json, 'method') : undefined
    return method !== undefined && (method === notification || method === end)
  }
  await connection.find(isItem, Math.min(sendDefaults.itemMilliseconds, timeoutMilliseconds))
  const params = unsubscribeParam === undefined ? [id] : { [unsubscribeParam]: id }
  const before = new Set(connection.received)
  const isNext = (message: Received) => isAnswer(message) && !before.has(message)
  connection.send(JSON.stringify({ jsonrpc: '2.0', id: ownIds.unsubscribe, method: unsubscribe, params }))
  before.add(await connection.expect(isNext, timeoutMilliseconds))
  connection.send(LAST_REQUEST)
  await connection.expect(isNext, timeoutMilliseconds)
}

/** Returns true for a response. A message with a method is a call of the server. */
function isAnswer({ json }: Received): boolean {
  return !isObject(json) || member(json, 'method') === undefined
}

function idOf({ json }: Received): JsonValue | undefined {
  return isObject(json) ? member(json, 'id') : undefined
}

/** The ids of a response or a list of them, as JSON. */
function answerIds({ json }: Received): readonly string[] {
  return (isArray(json) ? json : [json]).map((one) =>
    JSON.stringify(isObject(one) ? member(one, 'id') : null),
  )
}

/** The ids of the requests in a message, as JSON. A message without any may have no response (JSON-RPC 2.0, section 4). */
function requestIds(text: string | undefined): ReadonlySet<string> {
  const message = parseJson(text ?? '')
  const ids = (isArray(message) ? message : [message]).flatMap((one) => {
    const id = isCall(one) ? member(one, 'id') : undefined
    return typeof id === 'string' || typeof id === 'number' ? [JSON.stringify(id)] : []
  })
  return new Set(ids)
}

/** Returns true for a notification or a batch of them, which get no response (JSON-RPC 2.0, section 4.1). */
function isNotification(text: string | undefined): boolean {
  const message = parseJson(text ?? '')
  const all = isArray(message) ? message : [message]
  return (
    all.length > 0 &&
    all.every(
      (one) => isObject(one) && member(one, 'id') === undefined && typeof member(one, 'method') === 'string',
    )
  )
}
