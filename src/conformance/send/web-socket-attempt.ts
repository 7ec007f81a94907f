import { isArray, isObject, type JsonValue, member, parseJson } from '../../contract/index.js'
import type { AttemptLimits, AttemptRequest, Connections } from './connections.js'
import { utf8Text } from './decode-body.js'
import type { Reply, SubscriptionMethods } from './exchange.js'
import { sendDefaults } from './send-defaults.js'
import { AnswerRefused, StaleConnection } from './transport-trouble.js'
import { type Received, WebSocketConnection } from './web-socket-connection.js'

/** Request ids reserved for the runner. Ids of cases are lower. */
export const ownIds = { unsubscribe: 999_999_998, last: 999_999_999 } as const

/** Calls an unknown method. Its response shows that the message before it got none. */
const LAST_REQUEST = `{"jsonrpc":"2.0","id":${ownIds.last},"method":"concordatNoSuchMethod"}`

const OK = 200
const NO_CONTENT = 204

/**
 * Creates WebSocket connections. A connection carries one request at a time, and the next message without a `method`
 * is its response, with status 200. After a notification, the runner sends a request of its own: if only that one is
 * answered, the reply is empty, with status 204. Each subscription has its own connection.
 * @param keepAlive true to reuse connections
 */
export function createWebSocketConnections(keepAlive: boolean): Connections {
  const all = new Set<WebSocketConnection>()
  const idle = new Map<string, WebSocketConnection[]>()

  const take = (key: string): WebSocketConnection | undefined => {
    const found = idle.get(key)?.pop()
    return found === undefined || found.isOpen ? found : take(key)
  }

  return {
    async attempt(request, limits) {
      const key = JSON.stringify([request.url, request.headers])
      const reused = keepAlive ? take(key) : undefined
      const connection =
        reused ?? new WebSocketConnection(request, limits.maximumBytes, (ended) => all.delete(ended))
      all.add(connection)
      const stop = () => connection.end()
      limits.signal.addEventListener('abort', stop)
      try {
        const reply = await exchange(connection, request, limits)
        if (keepAlive && request.subscription === undefined)
          idle.set(key, [...(idle.get(key) ?? []), connection])
        else connection.end()
        return reply
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

/** Sends a message and waits for its response. A subscription is also ended. */
async function exchange(
  connection: WebSocketConnection,
  { body = new Uint8Array(), subscription }: AttemptRequest,
  limits: AttemptLimits,
): Promise<Reply> {
  const { timeoutMilliseconds } = limits
  const refusal = await connection.opened(limits)
  if (refusal !== undefined) return refusal
  const text = utf8Text(body)
  const hasNoAnswer = isNotification(text)
  connection.send(text ?? body)
  if (hasNoAnswer) connection.send(LAST_REQUEST)
  const answer = await connection.expect(isAnswer, timeoutMilliseconds)
  if (hasNoAnswer) {
    connection.forget()
    if (idOf(answer) === ownIds.last)
      return { status: NO_CONTENT, headers: {}, bytes: new Uint8Array(), text: '' }
    // The server answered the notification. The response to the last request is still on its way.
    connection.end()
  }
  const reply = { status: OK, headers: {}, bytes: answer.bytes, text: utf8Text(answer.bytes) }
  const id = isObject(answer.json) ? member(answer.json, 'result') : undefined
  if (subscription === undefined || id === undefined) {
    connection.forget()
    return reply
  }
  const from = performance.now()
  await endSubscription(connection, subscription, id, timeoutMilliseconds)
  const messages = connection.received.map(({ bytes }) => utf8Text(bytes) ?? '')
  return { ...reply, messages, afterMilliseconds: performance.now() - from }
}

/**
 * Unsubscribes after the first item, or when none arrives in time. Then sends one more request and waits for its
 * response, so that late items are received too.
 */
async function endSubscription(
  connection: WebSocketConnection,
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
