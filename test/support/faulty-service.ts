import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { gunzipSync } from 'node:zlib'
import {
  type Fault,
  type Forward,
  type HttpReply,
  headerOf,
  withBody,
  withHeader,
} from '../../src/judge/index.js'
import { applyFault } from '../../src/judge/selftest/apply-fault.js'
import { beginFault } from '../../src/judge/selftest/fault.js'

/** Larger than the limit of every service, so that the service itself refuses large headers. */
const maxHeaderSize = 1_048_576

/**
 * Starts a service with a fault, for commands that need its URL: an HTTP server in front of a running service. Without a
 * fault, everything passes.
 * @param target origin of the running service
 */
export async function startFaultyService({ target, fault }: { target: string; fault: Fault | undefined }) {
  const hooks = beginFault(fault)
  const troubles: unknown[] = []
  let changes = 0
  const { hostname, port } = new URL(target)

  const forward: Forward = async ({ verb, path, headers, body }) => {
    const outgoing = httpRequest({
      ...{ hostname, port, path, maxHeaderSize, method: verb },
      headers: [...headers],
    })
    outgoing.end(body.length === 0 ? undefined : body)
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    // A service may answer without reading the whole body.
    outgoing.on('error', () => undefined)
    return { status: incoming.statusCode ?? 0, headers: incoming.rawHeaders, body: await buffer(incoming) }
  }

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    // `data` events preserve the pieces in which the body arrived.
    const pieces: Uint8Array[] = []
    incoming.on('data', (piece: Uint8Array) => pieces.push(piece))
    await finished(incoming, { writable: false })
    const body = Buffer.concat(pieces)
    const [firstPiece = body] = pieces
    const { method: verb = 'GET', url: path = '/', rawHeaders: headers } = incoming
    let compressed: HttpReply | undefined
    let shown: HttpReply | undefined
    // Faults see answers without compression. Unchanged ones keep it.
    const { reply, isChanged } = await applyFault(
      hooks,
      { verb, path, headers, body, firstPiece },
      async (sent) => {
        compressed = await forward(sent)
        shown = plain(compressed)
        return shown
      },
    )
    if (isChanged) changes++
    const written = reply === shown && compressed !== undefined ? compressed : reply
    // Node.js would add these headers.
    outgoing.sendDate = false
    outgoing.removeHeader('connection')
    outgoing.writeHead(written.status, [...written.headers])
    outgoing.end(written.body)
  }

  const server = createServer({ maxHeaderSize, requestTimeout: 0, keepAliveTimeout: 0 })
  server.on('request', (incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: unknown) => {
      // A disconnected client is no trouble.
      if (!incoming.destroyed || incoming.complete) troubles.push(error)
      outgoing.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Number of exchanges that the fault has changed so far. */
    changes: () => changes,
    troubles: (): readonly unknown[] => troubles,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function plain(reply: HttpReply): HttpReply {
  if (headerOf(reply.headers, 'content-encoding') !== 'gzip') return reply
  const headers = withHeader(reply.headers, 'content-encoding', undefined)
  return withBody({ ...reply, headers }, gunzipSync(reply.body).toString('utf8'))
}
