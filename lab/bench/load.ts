import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** The path and the body of each request, by its number. */
export interface Work {
  /** Origin of the server, such as `http://127.0.0.1:8545`. */
  readonly origin: string
  readonly path: (request: number) => string
  readonly body: (request: number) => string
  /** Requests per second. Default: as many as the server answers. */
  readonly perSecond?: number | undefined
  /**
   * Called with the HTTP status or connection error of each failed request. Default: the load retries requests that a
   * busy server refuses, and ends at the first other failure.
   */
  readonly onFailure?: ((reason: string) => void) | undefined
}

/** The result of a load. */
export interface Loaded {
  readonly requests: number
  readonly seconds: number
  /**
   * Latencies in milliseconds, in ascending order. With `perSecond`, a latency starts when the request is due, so it
   * includes the wait for a connection.
   */
  readonly latencies: Float64Array
}

const lineEnd = '\r\n'
const headEnd = lineEnd + lineEnd
const lastChunk = `0${headEnd}`
/** Timeout of each answer, and of the load after its last request is due, if failures are reported. */
const patienceMilliseconds = 5_000

/**
 * Sends requests over keep-alive connections, one at a time on each. It uses plain sockets, because the load shares the
 * machine with the measured server. Every answer must be HTTP 200 with a result.
 * @param from number of the first request
 * @throws Error for the first other answer, if the work has no `onFailure`
 */
export async function load(work: Work, from: number, requests: number, connections: number): Promise<Loaded> {
  const latencies = new Float64Array(requests)
  const startedAt = performance.now()
  const turns = new Turns(work, requests, startedAt)
  const most = Math.min(connections, requests)
  const ask = () => askInTurn(work, { turns, from, latencies })
  if (work.perSecond === undefined) await Promise.all(Array.from({ length: most }, ask))
  else await turns.run(most, ask)
  for (let request = turns.taken; request < requests; request++) {
    latencies[request] = patienceMilliseconds
    work.onFailure?.('not sent')
  }
  return { requests, seconds: (performance.now() - startedAt) / 1_000, latencies: latencies.sort() }
}

/** Hands out the requests of a load to its connections. */
class Turns {
  /** Number of requests that were handed out. */
  taken = 0
  readonly #requests: number
  readonly #interval: number
  readonly #startedAt: number
  #endsAt: number
  /** The connections that wait for a request; undefined ends them. The most recent one is used first, as in pools. */
  readonly #idle: ((request: number | undefined) => void)[] = []

  constructor({ perSecond, onFailure }: Work, requests: number, startedAt: number) {
    this.#requests = requests
    this.#interval = perSecond === undefined ? 0 : 1_000 / perSecond
    this.#startedAt = startedAt
    const hasEnd = onFailure !== undefined && perSecond !== undefined
    this.#endsAt = hasEnd ? this.dueAt(requests) + patienceMilliseconds : Number.POSITIVE_INFINITY
  }

  /** The time at which a request is due, on the clock of `performance.now()`. */
  dueAt(request: number): number {
    return this.#startedAt + request * this.#interval
  }

  /** Calls `start` with the number of the next request when one is due, or with undefined at the end of the load. */
  take(start: (request: number | undefined) => void): void {
    if (this.#isOver() || this.#isDue()) start(this.#isOver() ? undefined : this.taken++)
    else this.#idle.push(start)
  }

  /**
   * Sends each request when it is due, on a waiting connection or a new one.
   * @param most maximum number of connections
   * @param open opens a connection and takes its first request
   */
  async run(most: number, open: () => Promise<void>): Promise<void> {
    const opened: Promise<void>[] = []
    while (!this.#isOver()) {
      while (!this.#isOver() && this.#isDue() && (this.#idle.length > 0 || opened.length < most)) {
        const start = this.#idle.pop()
        if (start === undefined) opened.push(this.#orEnd(open()))
        else start(this.taken++)
      }
      await delay(Math.max(1, this.dueAt(this.taken) - performance.now()))
    }
    for (const start of this.#idle.splice(0)) start(undefined)
    await Promise.all(opened)
  }

  /** Ends the load when a connection fails. */
  #orEnd(connection: Promise<void>): Promise<void> {
    connection.catch(() => {
      this.#endsAt = Number.NEGATIVE_INFINITY
    })
    return connection
  }

  #isDue(): boolean {
    return this.#interval === 0 || this.dueAt(this.taken) <= performance.now()
  }

  #isOver(): boolean {
    return this.taken >= this.#requests || performance.now() >= this.#endsAt
  }
}

/** A load and its latencies. */
interface Asked {
  readonly turns: Turns
  /** Number of the first request. */
  readonly from: number
  readonly latencies: Float64Array
}

function askInTurn(work: Work, { turns, from, latencies }: Asked): Promise<void> {
  return new Promise((resolve, reject) => {
    let socket: Socket | undefined
    let current = 0
    let sentAt = 0
    let isSent = false
    let text = ''
    const ask = () =>
      turns.take((request) => {
        if (request === undefined) {
          socket?.destroy()
          resolve()
          return
        }
        current = request
        send(work.perSecond === undefined ? performance.now() : turns.dueAt(request))
      })
    const send = (since: number) => {
      sentAt = since
      const request = from + current
      const content = work.body(request)
      isSent = true
      socket ??= connectTo(work, receive, lost)
      socket.write(
        `POST ${work.path(request)} HTTP/1.1${lineEnd}host: 127.0.0.1${lineEnd}content-type: application/json${lineEnd}content-length: ${content.length}${headEnd}${content}`,
      )
    }
    const done = (failed?: string) => {
      latencies[current] = performance.now() - sentAt
      isSent = false
      text = ''
      if (failed !== undefined) work.onFailure?.(failed)
      ask()
    }
    const lost = (closed: Socket, reason: string) => {
      if (socket !== closed) return
      socket = undefined
      closed.destroy()
      if (work.onFailure === undefined) reject(new Error(reason))
      else if (isSent) done(reason)
    }
    const receive = (chunk: string) => {
      text += chunk
      if (!isWhole(text)) return
      if (isLast(text)) {
        socket?.destroy()
        socket = undefined
      }
      if (text.startsWith('HTTP/1.1 200') && text.includes('"result"')) done()
      else if (work.onFailure !== undefined) done(text.slice('HTTP/1.1 '.length, text.indexOf(lineEnd)))
      else if (isBusy(text)) {
        text = ''
        send(sentAt)
      } else reject(new Error(text))
    }
    ask()
  })
}

/**
 * Opens a connection.
 * @param lost receives a closed connection, and the reason
 */
function connectTo(
  { origin, onFailure }: Work,
  receive: (chunk: string) => void,
  lost: (socket: Socket, reason: string) => void,
): Socket {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  if (onFailure !== undefined)
    socket.setTimeout(patienceMilliseconds, () => lost(socket, `no answer in ${patienceMilliseconds} ms`))
  socket.setEncoding('latin1')
  socket.on('data', receive)
  socket.on('error', ({ message }) => lost(socket, message))
  socket.on('close', () => lost(socket, 'the connection was closed'))
  return socket
}

/** True for the answer of a busy server. Its request is retried, and the retries count towards the latency. */
const isBusy = (text: string) => text.startsWith('HTTP/1.1 503') && /\nretry-after:/i.test(text)

/** True if the server closes the connection after this answer, as nginx does after 1,000 requests. */
const isLast = (text: string) => /\nconnection: close\r/i.test(text.slice(0, text.indexOf(headEnd)))

/** True if the text is a complete HTTP response. */
export function isWhole(text: string): boolean {
  const at = text.indexOf(headEnd)
  if (at < 0) return false
  const length = /\ncontent-length: *(\d+)/i.exec(text)?.[1]
  return length === undefined ? text.endsWith(lastChunk) : text.length >= at + headEnd.length + Number(length)
}
