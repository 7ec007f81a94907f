import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { finished } from 'node:stream/promises'
import { applyFault } from './apply-fault.js'
import { beginFault, type Fault } from './fault.js'
import { createForwarder, PASSED_HEADER_BYTES } from './forward.js'
import type { HttpReply } from './http-message.js'

/** What a proxy stands in front of, and what it does to it. */
export interface FaultingProxyOptions {
  /** Origin of the running service, such as `http://127.0.0.1:8080`. */
  readonly target: string
  /** Undefined lets everything pass byte for byte. */
  readonly fault: Fault | undefined
  /** Address of this machine that the service sees as the caller's; the system's choice by default. */
  readonly from?: string | undefined
}

/** A service with one named fault. */
export interface FaultingProxy {
  readonly origin: string
  /** How many exchanges the fault changed so far. */
  changes(): number
  /** What went wrong in the proxy itself: a fault that throws, or a service that went away. */
  troubles(): readonly unknown[]
  /** Ends it with all its connections. */
  close(): Promise<void>
}

/**
 * Puts an HTTP server with one fault in front of a running service. Paths and headers pass as they are; an exchange
 * that fails between proxy and service ends the caller's connection, for the proxy makes up no answers of its own.
 * Requests are read to their end before they are sent on; what is no HTTP never reaches the service.
 */
export async function startFaultingProxy({
  target,
  fault,
  from,
}: FaultingProxyOptions): Promise<FaultingProxy> {
  const hooks = beginFault(fault)
  const forwarder = createForwarder(target, from)
  const troubles: unknown[] = []
  let changes = 0

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    // As events they stay apart, however late they are read.
    const pieces: Uint8Array[] = []
    incoming.on('data', (piece: Uint8Array) => pieces.push(piece))
    await finished(incoming, { writable: false })
    const request = {
      verb: incoming.method ?? 'GET',
      path: incoming.url ?? '/',
      headers: incoming.rawHeaders,
      body: Buffer.concat(pieces),
      firstPiece: pieces[0] ?? Buffer.alloc(0),
    }
    const { reply, isChanged } = await applyFault(hooks, request, forwarder.forward)
    if (isChanged) changes++
    write(outgoing, reply)
  }

  const server = createServer({ maxHeaderSize: PASSED_HEADER_BYTES, requestTimeout: 0, keepAliveTimeout: 0 })
  server.on('request', (incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: unknown) => {
      // A caller who leaves is no trouble of ours.
      if (!incoming.destroyed || incoming.complete) troubles.push(error)
      outgoing.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    changes: () => changes,
    troubles: () => troubles,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      forwarder.close()
      await closed
    },
  }
}

function write(outgoing: ServerResponse, { status, reason, headers, body }: HttpReply): void {
  if (outgoing.destroyed) return
  // Node adds these of its own where they are absent.
  outgoing.sendDate = false
  outgoing.removeHeader('connection')
  outgoing.writeHead(status, reason, [...headers])
  outgoing.end(body)
}
