import { Peer, RpcError } from '@concordat/rpc'
import type { Body } from '../protocol/answer-message.js'
import { wholeText } from '../protocol/encode-answer.js'
import type { Exchange } from '../protocol/exchange.js'
import { failureError } from '../protocol/failures.js'
import type { RpcService } from '../service/create-service.js'
import { createSubscriptions, type SendMessage } from './subscriptions.js'

/** A connection on which both sides send messages, whatever carries them. */
export interface Connection {
  /** False while no further message should be read. */
  readonly hasRoom: boolean
  /** Handles a message. Resolves when its answer is sent; it never rejects. */
  receive(body: Body): Promise<void>
  /** Refuses further requests as `draining`. Responses are still accepted. */
  drain(): void
  /** Ends all subscriptions and fires the signals of all calls. Called when the transport is closed. */
  close(): void
}

/** Options of {@link createConnection}. */
export interface ConnectionOptions<Context> {
  readonly service: RpcService<Context>
  readonly context: Context
  readonly send: SendMessage
  /** Messages that are handled at once. Default: 32. */
  readonly messagesAtOnce?: number | undefined
  /** Called when `hasRoom` has become true. */
  readonly onRoom: () => void
}

const defaultMessagesAtOnce = 32

/**
 * Connects a service with one caller (JSON-RPC 2.0). Messages are handled concurrently, so answers may come in another
 * order. Responses are never answered. While handlers await responses of the caller, the connection is read on, and
 * requests over the limit get an error.
 */
export function createConnection<Context>(options: ConnectionOptions<Context>): Connection {
  const { service, context, send, messagesAtOnce = defaultMessagesAtOnce, onRoom } = options
  const exchanges = new Set<Exchange<Context>>()
  const peer = new Peer(service.roles.called, send)
  const subscriptions = createSubscriptions(service, context, send)
  const queue: (() => void)[] = []
  let isClosed = false
  let isDraining = false
  const open = {
    peer: {
      request: (method: string, params: unknown, own?: { readonly signal?: AbortSignal | undefined }) => {
        const response = peer.request(method, params, own) as Promise<never>
        onRoom()
        return response
      },
      notify: (method: string, params: unknown) => peer.notify(method, params),
    },
    subscribe: subscriptions.subscribe,
    unsubscribe: subscriptions.unsubscribe,
  }

  const isFull = () => exchanges.size >= messagesAtOnce

  function refusal(): RpcError | undefined {
    if (isDraining) return failureError(service.failures.draining)
    return exchanges.size > messagesAtOnce ? tooManyMessages() : undefined
  }

  async function answer(body: Body): Promise<void> {
    const message = service.read(body)
    if (typeof message !== 'string' && peer.receive(message.value)) return
    // A transport that reads no further may still have received some messages.
    while (isFull() && !peer.isWaiting && !isClosed) await new Promise<void>((resolve) => queue.push(resolve))
    if (isClosed) return
    const exchange = service.begin(context, open)
    exchanges.add(exchange)
    try {
      const { body: text } = await service.answer(message, exchange, refusal())
      if (text !== null) await send(await wholeText(text))
      subscriptions.start(exchange)
    } finally {
      exchanges.delete(exchange)
      queue.shift()?.()
      onRoom()
    }
  }

  return {
    get hasRoom() {
      return (!isFull() && queue.length === 0) || peer.isWaiting
    },
    async receive(body) {
      if (isClosed) return
      try {
        await answer(body)
      } catch {
        // The connection is closed, or the source of a streamed result has reported its failure.
      }
    },
    drain() {
      isDraining = true
    },
    close() {
      if (isClosed) return
      isClosed = true
      peer.close()
      for (const exchange of exchanges) exchange.disconnect()
      subscriptions.close()
      for (const resolve of queue.splice(0)) resolve()
    },
  }
}

const tooManyMessages = () => new RpcError({ code: -32000, message: 'Too many requests at once' })
