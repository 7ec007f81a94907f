import { exponentialDelay } from '@concordat/rpc'
import { positive } from '../client-options.js'
import { type Fault, transportFault } from '../fault.js'
import type { Endpoint } from '../http/endpoint.js'
import { longestTimer } from '../pipeline/pending-call.js'
import type { TransportError, TransportTrouble } from '../transport-error.js'
import {
  type SocketOptions,
  type SocketState,
  socketDefaults,
  type WebSocketLike,
} from './connect-options.js'

/** What a socket reports to its client. */
export interface SocketEvents {
  /** A connection is open: the first one, or a later one. */
  readonly onOpen: () => void
  readonly onMessage: (text: string) => void
  /** No message has arrived for some time. Any answer to a call proves that the connection works. */
  readonly onSilent: () => void
  /** A connection is lost or closed. */
  readonly onLost: (fault: Fault) => void
  /** No further connection follows. There is no fault if the client was closed. */
  readonly onEnd: (fault: Fault | undefined) => void
}

const CONNECTING = 0
const MILLISECONDS = 1_000
/** The interval after which a probe is sent. At least one whole interval is silent then. */
const PROBED = 2

/** Close codes of RFC 6455, section 7.4.1. */
const NORMAL = 1000
const POLICY_VIOLATION = 1008
/** A code for private use (RFC 6455, section 7.4.2). */
const NOT_JSON_RPC = 4000

/**
 * Connections to one URL, one after the other: a lost one is replaced, unless the server closed it with the code 1000
 * or 1008.
 */
export class Socket {
  readonly #url: string
  readonly #host: string
  readonly #redact: Endpoint['redact']
  readonly #webSocket: (url: string) => WebSocketLike
  readonly #timeoutMilliseconds: number
  readonly #probeSeconds: number
  readonly #delayOf: (attempts: number) => number | undefined
  readonly #onState: SocketOptions['onState']
  readonly #events: SocketEvents
  #state: SocketState | 'connecting' = 'connecting'
  #current: WebSocketLike | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #probes: ReturnType<typeof setInterval> | undefined
  /** Attempts since the last message. */
  #attempts = 0
  #refusal: Fault | undefined
  #closing: Promise<void> | undefined
  #onClosed = (): void => undefined
  #onFirst: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined

  /** @throws RangeError when a time is not greater than 0 */
  constructor({ url, origin, redact }: Endpoint, options: SocketOptions, events: SocketEvents) {
    const { timeoutMilliseconds = socketDefaults.timeoutMilliseconds } = options
    const { probeSeconds = socketDefaults.probeSeconds } = options
    this.#url = socketUrl(url)
    this.#host = socketUrl(origin)
    this.#redact = redact
    this.#webSocket = options.webSocket ?? platformSocket
    this.#timeoutMilliseconds = positive({ timeoutMilliseconds }).timeoutMilliseconds
    this.#probeSeconds = probeSeconds && positive({ probeSeconds }).probeSeconds
    this.#delayOf = reconnectDelays(options.reconnect)
    this.#onState = options.onState
    this.#events = events
  }

  get state(): SocketState {
    return this.#state === 'connecting' ? 'reconnecting' : this.#state
  }

  /**
   * Opens the first connection.
   * @throws TransportError when that fails; the error of the option `webSocket`
   */
  async connect(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#onFirst = { resolve, reject }
      this.#open()
    })
  }

  /** Sends a message on the open connection. */
  send(text: string): void {
    this.#current?.send(text)
  }

  /** Ends the connection for good because of a message that is not JSON-RPC. */
  refuse(problem: string): void {
    this.#refusal = this.#fault('malformed', `the server sent ${problem}`)
    this.#current?.close(NOT_JSON_RPC)
  }

  /** Closes the connection. Resolves when it is closed. */
  close(): Promise<void> {
    if (this.#closing !== undefined || this.#state === 'closed') return this.#closing ?? Promise.resolve()
    clearTimeout(this.#timer)
    clearInterval(this.#probes)
    const socket = this.#current
    this.#closing = new Promise((resolve) => {
      this.#onClosed = resolve
    })
    this.#end(undefined)
    this.#events.onLost(this.#fault('network', 'the client was closed'))
    if (socket === undefined) this.#onClosed()
    else socket.close(NORMAL)
    return this.#closing
  }

  #open(): void {
    let socket: WebSocketLike
    try {
      socket = this.#webSocket(this.#url)
    } catch (error) {
      this.#gone(0, () => error)
      return
    }
    this.#current = socket
    let problem: Fault | undefined
    /** Intervals of probes since the last message. */
    let silent = 0
    const giveUp = (): void => {
      problem = this.#fault('network', `no message within ${this.#probeSeconds} s after a probe`)
      gone(0)
      // The closing handshake with a dead peer may take long, or fail.
      socket.addEventListener('error', () => undefined)
      socket.close()
    }
    const stopListening = listen(socket, {
      open: () => {
        clearTimeout(this.#timer)
        this.#probe(() => {
          silent += 1
          if (silent === PROBED) this.#events.onSilent()
          // After a blocked event loop, timers run before sockets are read. Another timer lets the answer arrive.
          if (silent > PROBED) setTimeout(() => silent > PROBED && giveUp())
        })
        this.#opened()
      },
      message: ({ data }) => {
        this.#attempts = 0
        silent = 0
        if (typeof data === 'string') this.#events.onMessage(data)
        else this.refuse('a binary message')
      },
      error: (event) => {
        if (this.#state === 'open') return
        const details = this.#redact(String(Reflect.get(event, 'message') || 'no further details'))
        problem ??= this.#fault('network', `the connection cannot be opened: ${details}`)
        // Some runtimes send no close event when a connection was never open.
        if (socket.readyState !== CONNECTING) gone(0)
      },
      close: ({ code }) => gone(code),
    })
    const gone = (code: number): void => {
      if (this.#current !== socket) return
      this.#current = undefined
      clearTimeout(this.#timer)
      clearInterval(this.#probes)
      stopListening()
      const lost = this.#fault('network', `the connection was lost (close code ${code})`)
      this.#gone(code, problem ?? lost)
    }
    const time = this.#timeoutMilliseconds
    if (time > longestTimer) return
    this.#timer = setTimeout(() => {
      problem = this.#fault('timeout', `no connection within ${time} ms`)
      socket.close()
    }, time)
  }

  #probe(each: () => void): void {
    const time = this.#probeSeconds * MILLISECONDS
    if (time > 0 && time <= longestTimer) this.#probes = setInterval(each, time)
  }

  #opened(): void {
    const isFirst = this.#state === 'connecting'
    this.#enter('open')
    this.#events.onOpen()
    if (isFirst) this.#onFirst?.resolve()
  }

  /** Decides what follows a connection that is lost, or could not be opened. */
  #gone(code: number, found: Fault): void {
    if (this.#state === 'closed') {
      this.#onClosed()
      return
    }
    const reason = this.#refusal ?? found
    const isFinal = this.#state === 'connecting' || code === NORMAL || code === POLICY_VIOLATION
    this.#events.onLost(reason)
    const delay = isFinal || this.#refusal ? undefined : this.#delayOf(this.#attempts)
    if (delay === undefined) {
      this.#end(reason)
      return
    }
    this.#attempts += 1
    if (this.#state === 'open') this.#enter('reconnecting', reason)
    this.#timer = setTimeout(() => this.#open(), delay)
  }

  #end(reason: Fault | undefined): void {
    const isFirst = this.#state === 'connecting'
    this.#enter('closed', reason)
    this.#events.onEnd(reason)
    if (isFirst) this.#onFirst?.reject(reason?.('connect'))
  }

  #enter(state: SocketState, reason?: Fault): void {
    const isFirst = this.#state === 'connecting'
    this.#state = state
    const onState = this.#onState
    // An error of the callback must not break the connection.
    if (!isFirst && onState)
      queueMicrotask(() => onState(state, reason?.('connection') as TransportError | undefined))
  }

  #fault(kind: TransportTrouble, problem: string): Fault {
    return transportFault({ kind, message: `${this.#host}: ${problem}` })
  }
}

/** The listeners of a socket. */
interface Listeners {
  readonly open: () => void
  readonly message: (event: { readonly data: unknown }) => void
  readonly error: (event: object) => void
  readonly close: (event: { readonly code: number }) => void
}

/** Adds listeners. Returns a function that removes them. */
function listen(socket: WebSocketLike, { open, message, error, close }: Listeners): () => void {
  socket.addEventListener('open', open)
  socket.addEventListener('message', message)
  socket.addEventListener('error', error)
  socket.addEventListener('close', close)
  return () => {
    socket.removeEventListener('open', open)
    socket.removeEventListener('message', message)
    socket.removeEventListener('error', error)
    socket.removeEventListener('close', close)
  }
}

/** Replaces the scheme of an HTTP URL by that of WebSockets. */
function socketUrl(url: string): string {
  return url.replace(/^http/, 'ws')
}

function platformSocket(url: string): WebSocketLike {
  const WebSocket = Reflect.get(globalThis, 'WebSocket')
  if (WebSocket !== undefined) return new WebSocket(url)
  throw new TypeError(
    'connect: this runtime has no WebSocket. Pass the option webSocket, such as (url) => new WebSocket(url) with the package ws.',
  )
}

/** Returns a function that computes the wait after a number of attempts. Undefined means to give up. */
function reconnectDelays(reconnect: SocketOptions['reconnect']): (attempts: number) => number | undefined {
  if (reconnect === false) return () => undefined
  const defaults = socketDefaults.reconnect
  const {
    attempts = defaults.attempts,
    delayMilliseconds = defaults.delayMilliseconds,
    maxDelayMilliseconds = defaults.maxDelayMilliseconds,
  } = reconnect ?? {}
  positive({ attempts, delayMilliseconds, maxDelayMilliseconds })
  return (made) =>
    made < attempts
      ? exponentialDelay(made + 1, delayMilliseconds, maxDelayMilliseconds) * (0.5 + Math.random() / 2)
      : undefined
}
