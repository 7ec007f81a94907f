import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { finished } from 'node:stream/promises'
import { applyFault } from './apply-fault.js'
import { beginFault, type Fault } from './fault.js'
import { createForwarder, PASSED_HEADER_BYTES } from './forward.js'
import type { HttpReply } from './http-message.js'

/** Options of a faulting proxy. */
export interface FaultingProxyOptions {
  /** Origin of the running service, such as `http://127.0.0.1:8080`. */
  readonly target: string
  /** Fault to apply. Without one, everything passes byte for byte. */
  readonly fault: Fault | undefined
  /** Local address for connections to the service; chosen by the system by default. */
  readonly from?: string | undefined
}

/** A proxy that gives a service one fault. */
export interface FaultingProxy {
  readonly origin: string
  /** Number of exchanges that the fault has changed so far. */
  changes(): number
  /** Errors of the proxy itself, such as a fault that throws or a service that disappeared. */
  troubles(): readonly unknown[]
  /** Closes the proxy and all its connections. */
  close(): Promise<void>
}

/**
 * Starts an HTTP proxy with one fault in front of a running service. Paths and headers pass unchanged. If an
 * exchange with the service fails, the proxy closes the client's connection instead of inventing an answer.
 * Requests are forwarded after they are complete, and invalid HTTP never reaches the service.
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
    // `data` events preserve the pieces in which the body arrived.
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
      // A disconnected client is not an error of the proxy.
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
  // Node would add these headers.
  outgoing.sendDate = false
  outgoing.removeHeader('connection')
  outgoing.writeHead(status, reason, [...headers])
  outgoing.end(body)
}
