import type { ClientContract, ClientMethod, MemberNames } from '../client-contract.js'
import type { ClientOptions } from '../client-options.js'
import type { TransportError } from '../transport-error.js'

/** A contract as a WebSocket client sees it. Generated, never written by hand. */
export interface SocketContract extends ClientContract {
  /** Methods that the server calls (`x-direction`). */
  readonly received?: Readonly<Record<string, ClientMethod>>
  /** Methods that start subscriptions (`x-subscription`), with the other methods of each. */
  readonly subscriptions?: Readonly<Record<string, SubscriptionMethods>>
  /** The notification that cancels a call, and its parameter with the id: a name, or a position (`x-cancels`). */
  readonly cancel?: { readonly method: string; readonly id: string | number }
  /**
   * The notification by which the server cancels its calls, and its parameter with the id (`x-cancels`). The error
   * answers a cancelled call whose handler rejects; without one, no cancelled call is answered.
   */
  readonly cancelled?: {
    readonly method: string
    readonly id: string
    readonly error?: { readonly code: number; readonly message: string }
  }
  readonly names?: Partial<MemberNames & Readonly<Record<'close' | 'state', string>>>
}

/** The methods of a subscription by role (`x-subscription`). */
export interface SubscriptionMethods {
  readonly notification: string
  readonly unsubscribe: string
  readonly end?: string
}

/** Options of a WebSocket client. All are optional. */
export interface SocketOptions extends Pick<ClientOptions, 'middleware' | 'validate'> {
  /**
   * Creates a WebSocket. By default that of the platform (browsers, Node.js from 22, Deno, Bun). Needed for Node.js
   * 20, and for headers: `(url) => new WebSocket(url, { headers })` with the package `ws`.
   */
  readonly webSocket?: ((url: string) => WebSocketLike) | undefined
  /**
   * Milliseconds until the connection is open, and until a call is answered. The time of a call includes the wait for
   * a new connection. Defaults to {@link socketDefaults}.
   */
  readonly timeoutMilliseconds?: number | undefined
  /** Opens a new connection when one is lost; `false` closes the client instead. */
  readonly reconnect?: false | ReconnectOptions | undefined
  /**
   * Seconds without a message after which the client calls `rpc.ping`. Any answer proves that the connection works, an
   * error included. Without a message in the same time, the connection counts as lost. 0 turns this off. Defaults to
   * {@link socketDefaults}.
   */
  readonly probeSeconds?: number | undefined
  /** Called when the connection is lost, restored or closed, with the reason. */
  readonly onState?: ((state: SocketState, reason: TransportError | undefined) => void) | undefined
  /** Called with unexpected errors of handlers. The server receives -32603. By default they are unhandled rejections. */
  readonly onHandlerError?: ((error: unknown, method: string) => void) | undefined
}

/** Options of `connect`, with the handlers of the methods that the server calls. */
export type ConnectOptions<Handlers = unknown> = SocketOptions & {
  readonly handlers?: Handlers | undefined
}

/** How lost connections are replaced. Defaults to {@link socketDefaults}. */
export interface ReconnectOptions {
  /** Maximum number of attempts without a message of the server in between. */
  readonly attempts?: number | undefined
  /** Wait before the first attempt, in milliseconds. It doubles with each attempt; half of it is random. */
  readonly delayMilliseconds?: number | undefined
  /** Maximum wait in milliseconds. */
  readonly maxDelayMilliseconds?: number | undefined
}

/** The state of a client. Calls are sent while it is `open`, and wait while it is `reconnecting`. */
export type SocketState = 'open' | 'reconnecting' | 'closed'

/** Options of a subscription. */
export interface SubscriptionOptions {
  /** Ends the iteration with the signal's reason, and unsubscribes. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until the subscription is confirmed. */
  readonly timeoutMilliseconds?: number | undefined
  /** Maximum number of items that wait for the iteration. Defaults to {@link socketDefaults}. */
  readonly bufferItems?: number | undefined
  /**
   * Called between two items if items between them may be missing. With it, the client subscribes again after a
   * reconnect, and a full buffer drops its oldest items. Without it, the iteration ends with an error instead.
   */
  readonly onGap?: ((gap: Gap) => void) | undefined
}

/** Why items may be missing: `reconnect`, or `overflow` of the buffer. */
export type Gap = 'reconnect' | 'overflow'

/**
 * The items of a subscription. Iteration subscribes, and its end unsubscribes. `next` is stated because iterators have one
 * type argument before TypeScript 5.6.
 */
export interface Subscription<Item> extends AsyncIterableIterator<Item> {
  next(): Promise<IteratorResult<Item, undefined>>
  return(): Promise<IteratorResult<Item, undefined>>
}

/** A call of the server. */
export interface ReceivedCall {
  /** The method's name on the wire. */
  readonly method: string
  /** Aborted when the connection is lost, and when the server cancels the call (`x-cancels`). */
  readonly signal: AbortSignal
}

/** The defaults of {@link SocketOptions} and {@link SubscriptionOptions}. */
export const socketDefaults = {
  timeoutMilliseconds: 30_000,
  probeSeconds: 30,
  reconnect: { attempts: 10, delayMilliseconds: 500, maxDelayMilliseconds: 30_000 },
  bufferItems: 1_000,
} as const

/** The part of a WebSocket that the client uses. That of the platform and that of the package `ws` are compatible. */
export interface WebSocketLike {
  readonly readyState: number
  send(data: string): void
  close(code?: number): void
  addEventListener(type: 'open', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'close', listener: (event: { readonly code: number }) => void): void
  addEventListener(type: 'error', listener: (event: object) => void): void
  removeEventListener(type: 'open', listener: () => void): void
  removeEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  removeEventListener(type: 'close', listener: (event: { readonly code: number }) => void): void
  removeEventListener(type: 'error', listener: (event: object) => void): void
}
