import type { AttemptRequest, Connections } from '../send/connections.js'
import { utf8Text } from '../send/decode-body.js'
import type { Reply } from '../send/exchange.js'
import { decoded } from '../send/http-attempt.js'
import { StaleConnection, transportTrouble } from '../send/transport-trouble.js'
import { applyFault } from './apply-fault.js'
import { beginFault, type Fault, type Forward } from './fault.js'
import { type HttpReply, type HttpRequest, headerOf, withHeader } from './http-message.js'

/** A fault between the judge and the service. */
export interface FaultyTransport {
  /** Gives connections the fault. All connections of a transport share its state. */
  readonly wrap: (connections: Connections) => Connections
  /** Number of exchanges that the fault has changed so far. */
  changes(): number
  /** Errors of the fault itself, or of a service that disappeared. They prove nothing. */
  troubles(): readonly unknown[]
}

/** Begins a fault with fresh state. Exchanges that it does not change pass as they are. */
export function createFaultyTransport(fault: Fault | undefined): FaultyTransport {
  const hooks = beginFault(fault)
  const troubles: unknown[] = []
  let changes = 0
  const wrap = (connections: Connections): Connections => ({
    async attempt(request, limits) {
      const sent = messageOf(request)
      const replies = new Map<HttpReply, Reply>()
      const forward: Forward = async (message) => {
        const changed = message === sent ? request : requestOf(message, request)
        const reply = await connections.attempt(changed, limits)
        const shown = shownReply(reply)
        replies.set(shown, reply)
        return shown
      }
      try {
        const { reply, isChanged } = await applyFault(hooks, sent, forward)
        if (isChanged) changes++
        return replies.get(reply) ?? (await replyOf(reply, request.verb, limits.maximumBytes))
      } catch (error) {
        // A slow machine is the likelier cause of a timeout, and a stale connection is tried again.
        const isTimeout = transportTrouble(error, '').kind === 'timeout'
        if (!isTimeout && !limits.signal.aborted && !(error instanceof StaleConnection)) troubles.push(error)
        throw error
      }
    },
    close: () => connections.close(),
  })
  return { wrap, changes: () => changes, troubles: () => troubles }
}

function messageOf({ verb, url, headers, body = new Uint8Array(), pauses }: AttemptRequest): HttpRequest {
  const firstPiece = body.subarray(0, pauses.find(({ at }) => at > 0)?.at)
  return {
    verb,
    path: `${url.pathname}${url.search}`,
    headers: Object.entries(headers).flat(),
    body,
    firstPiece,
  }
}

/** A changed request travels in one piece. */
function requestOf({ verb, path, headers, body }: HttpRequest, original: AttemptRequest): AttemptRequest {
  const url = new URL(path, original.url)
  return { ...original, verb, url, headers: joined(headers), body, pauses: [] }
}

/** The body of a reply is decoded, so its coding is not shown. */
function shownReply({ status, headers, bytes }: Reply): HttpReply {
  const list = withHeader(Object.entries(headers).flat(), 'content-encoding', undefined)
  return { status, headers: list, body: bytes }
}

async function replyOf({ status, headers, body }: HttpReply, verb: string, most: number): Promise<Reply> {
  const isEmpty = verb.toUpperCase() === 'HEAD' || status === 204 || status === 304
  const coding = headerOf(headers, 'content-encoding') ?? ''
  const bytes = isEmpty ? new Uint8Array() : await decoded(body, coding, most)
  return { status, headers: joined(headers), bytes, text: utf8Text(bytes) }
}

/** Header values by lower-case name. Repeated headers are joined. */
function joined(headers: HttpReply['headers']): Readonly<Record<string, string>> {
  const values: Record<string, string> = {}
  for (let at = 0; at < headers.length; at += 2) {
    const [name, value = ''] = [headers[at]?.toLowerCase() ?? '', headers[at + 1]]
    values[name] = name in values ? `${values[name]}, ${value}` : value
  }
  return values
}
