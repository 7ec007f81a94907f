import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { sendDefaults } from '../send/send-defaults.js'
import type { Forward } from './fault.js'

/**
 * Maximum header size in bytes. It exceeds every service's limit, so that the service itself rejects large
 * headers.
 */
export const PASSED_HEADER_BYTES = 1_048_576

/** Connections to one service. */
export interface Forwarder {
  /**
   * Forwards a request.
   * @throws the connection error if no complete response arrives
   */
  readonly forward: Forward
  /** Closes all connections. */
  close(): void
}

/**
 * Creates a forwarder that keeps headers unchanged.
 * @param from local address for connections to the service; chosen by the system by default
 */
export function createForwarder(target: string, from?: string): Forwarder {
  const agent = new Agent({
    keepAlive: true,
    // On a busy machine, the client notices a closed connection late, during the next request.
    timeout: sendDefaults.idleConnectionMilliseconds,
    ...(from === undefined ? {} : { localAddress: from }),
  })
  const { hostname, port } = new URL(target)
  return {
    async forward({ verb, path, headers, body }) {
      const outgoing = httpRequest({
        agent,
        hostname,
        port,
        method: verb,
        path,
        headers: [...headers],
        maxHeaderSize: PASSED_HEADER_BYTES,
      })
      outgoing.end(body.length === 0 ? undefined : body)
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      // A service may answer without reading the whole body. Later write errors are then harmless.
      outgoing.on('error', () => undefined)
      return {
        status: incoming.statusCode ?? 0,
        reason: incoming.statusMessage ?? '',
        headers: incoming.rawHeaders,
        body: await wholeBody(incoming),
      }
    },
    close: () => agent.destroy(),
  }
}

/**
 * Reads a complete body.
 * @throws if the body ends early
 */
async function wholeBody(message: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}
