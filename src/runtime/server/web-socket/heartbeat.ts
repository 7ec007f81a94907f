import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

/** Pings the connections of an endpoint and terminates dead ones (RFC 6455, section 5.5.2). */
export interface Heartbeat {
  /** @param stream the network connection of the WebSocket */
  watch(socket: WebSocket, stream: Duplex): void
  forget(socket: WebSocket): void
  stop(): void
}

/** A watched connection. */
interface Watched {
  /** Counts the bytes that the caller sent. */
  readonly stream: { readonly bytesRead?: number }
  /** Bytes that were received before the last ping; -1 without a ping. */
  bytesAtPing: number
}

const milliseconds = 1_000
const longestTimer = 2 ** 31 - 1

/**
 * Creates the heartbeat of an endpoint, with one timer for all connections. A connection that receives nothing between
 * two pings is terminated. A paused connection is not pinged.
 * @param seconds seconds between pings; false for no pings
 * @throws RangeError if the interval is not positive or does not fit a timer
 */
export function createHeartbeat(seconds: number | false): Heartbeat {
  if (seconds === false) return { watch() {}, forget() {}, stop() {} }
  const interval = seconds * milliseconds
  if (!(interval > 0 && interval <= longestTimer))
    throw new RangeError(
      `pingSeconds must be greater than 0 and at most ${longestTimer / milliseconds}, or false`,
    )
  const all = new Map<WebSocket, Watched>()
  const timer = setInterval(() => {
    for (const [socket, watched] of all) ping(socket, watched)
  }, interval)
  timer.unref()
  return {
    watch(socket, stream) {
      all.set(socket, { stream: stream as Watched['stream'], bytesAtPing: -1 })
    },
    forget(socket) {
      all.delete(socket)
    },
    stop() {
      clearInterval(timer)
    },
  }
}

function ping(socket: WebSocket, watched: Watched): void {
  if (socket.readyState !== socket.OPEN) return
  if (socket.isPaused) {
    watched.bytesAtPing = -1
    return
  }
  const { bytesRead = 0 } = watched.stream
  if (bytesRead === watched.bytesAtPing) socket.terminate()
  else {
    watched.bytesAtPing = bytesRead
    socket.ping()
  }
}
