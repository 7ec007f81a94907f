import type { IncomingMessage } from 'node:http'
import { BodyPace, dropBytesPerSecond, dropPace } from './body-pace.js'

/** Maximum number of bodies that a process drops at the same time. */
const bodiesAtOnce = 64

const MILLISECONDS = 1_000

/** Maximum number of short bodies that are dropped at the same time. Their connections stay open. */
const shortBodiesAtOnce = 1_024

/** The client whose body is dropped, and the limits after which dropping ends. */
export interface DropLimits {
  /** The client's address, as reported by trusted proxies. */
  readonly address: string
  /** Received bytes after which the connection closes. */
  readonly bytes?: number | undefined
  /** Time after which the connection closes. Node's HTTP server has a timeout of its own for the whole request. */
  readonly seconds?: number | undefined
}

/**
 * Receives the rest of a refused body and drops it. Closing the connection while the caller sends would reset it, and
 * the caller would lose the answer.
 * @param request the request, whose answer was written
 * @param finish called once: after the whole body, at a limit, or when the connection closes
 */
export type DropBody = (request: IncomingMessage, limits: DropLimits, finish: () => void) => void

/**
 * Creates the function that drops bodies. When too many are dropped, the oldest connection of the address with the most
 * of them closes. So the answers must announce that their connections close: Node's HTTP client throws if another
 * connection closes while it sends.
 */
export function createDropBody(pace: BodyPace, atOnce = bodiesAtOnce): DropBody {
  /** Functions that close the draining connections of each address, oldest first. */
  const byAddress = new Map<string, Set<() => void>>()
  let count = 0

  function closeOne(): void {
    let most: ReadonlySet<() => void> = new Set()
    for (const ends of byAddress.values()) if (ends.size > most.size) most = ends
    const [close] = most
    close?.()
  }

  function add(address: string, close: () => void): () => void {
    const ends = byAddress.get(address) ?? new Set()
    byAddress.set(address, ends.add(close))
    count += 1
    return () => {
      count -= 1
      ends.delete(close)
      if (ends.size === 0) byAddress.delete(address)
    }
  }

  return (request, { address, bytes = Number.POSITIVE_INFINITY, seconds }, finish) => {
    if (count >= atOnce) closeOne()
    let received = 0
    const onData = (chunk: Uint8Array): void => {
      received += chunk.length
      if (received > bytes) end()
      else pace.took(request, chunk.length)
    }
    const end = (): void => {
      remove()
      clearTimeout(timer)
      pace.leave(request)
      request.off('data', onData)
      request.off('end', end)
      request.off('close', end)
      finish()
    }
    const close = (): void => {
      end()
      request.socket.destroySoon()
    }
    const remove = add(address, close)
    const timer = seconds === undefined ? undefined : setTimeout(end, seconds * MILLISECONDS)
    request.on('end', end)
    request.on('close', end)
    request.pause()
    request.on('data', onData)
    pace.begin(request)
  }
}

/** Drops bodies at the pace of the process. */
export const dropBody = createDropBody(dropPace)

/** Drops short bodies, with a pace and a maximum of their own. */
export const dropShortBody = createDropBody(new BodyPace(dropBytesPerSecond), shortBodiesAtOnce)
