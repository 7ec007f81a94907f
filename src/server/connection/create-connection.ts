import { Peer } from '@concordat/rpc'
import type { Body } from '../protocol/answer-message.js'
import { wholeText } from '../protocol/encode-answer.js'
import type { Exchange } from '../protocol/exchange.js'
import type { RpcService } from '../service/create-service.js'
import { createSubscriptions, type SendMessage } from './subscriptions.js'

/** A connection on which both sides send messages, whatever carries them. */
export interface Connection {
  /** Handles a message. Resolves when its answer is sent; it never rejects. */
  receive(body: Body): Promise<void>
  /** Ends all subscriptions and fires the signals of all calls. Called when the transport is closed. */
  close(): void
}

/**
 * Connects a service with one caller (JSON-RPC 2.0). Messages are handled concurrently, so answers may come in another
 * order. Responses are never answered.
 */
export function createConnection<Context>(
  service: RpcService<Context>,
  context: Context,
  send: SendMessage,
): Connection {
  const exchanges = new Set<Exchange<Context>>()
  const peer = new Peer(service.roles.called, send)
  const subscriptions = createSubscriptions(service, context, send)
  let isClosed = false
  const open = {
    peer: {
      request: (method: string, params: unknown, options?: { readonly signal?: AbortSignal | undefined }) =>
        peer.request(method, params, options) as Promise<never>,
      notify: (method: string, params: unknown) => peer.notify(method, params),
    },
    subscribe: subscriptions.subscribe,
    unsubscribe: subscriptions.unsubscribe,
  }

  async function answer(body: Body): Promise<void> {
    const message = service.read(body)
    if (typeof message !== 'string' && peer.receive(message.value)) return
    const exchange = service.begin(context, open)
    exchanges.add(exchange)
    try {
      const answered = await service.answer(message, exchange)
      if (answered.body !== null) await send(await wholeText(answered.body))
      subscriptions.start(exchange)
    } finally {
      exchanges.delete(exchange)
    }
  }

  return {
    async receive(body) {
      if (isClosed) return
      try {
        await answer(body)
      } catch {
        // The connection is closed, or the source of a streamed result has reported its failure.
      }
    },
    close() {
      if (isClosed) return
      isClosed = true
      peer.close()
      for (const exchange of exchanges) exchange.disconnect()
      subscriptions.close()
    },
  }
}
