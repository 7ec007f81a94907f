import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { sendDefaults } from '../send/send-defaults.js'
import type { Forward } from './fault.js'

/** Header bytes that pass; more than any service takes, so that the service itself is the one to refuse. */
export const PASSED_HEADER_BYTES = 1_048_576

/** Connections to one service. */
export interface Forwarder {
  /** @throws whatever the connection ends with before a whole answer came */
  readonly forward: Forward
  /** Ends its connections. */
  close(): void
}

/**
 * Makes what sends requests on to a service, header for header.
 * @param from address of this machine that the service sees as the caller's; the system's choice by default
 */
export function createForwarder(target: string, from?: string): Forwarder {
  const agent = new Agent({
    keepAlive: true,
    // On a busy machine the end of a connection that the service closed is seen late, under the next request.
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
      // A service may answer without reading the body to its end; what then happens to the rest is no failure.
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

/** @throws when the body ends before it is whole */
async function wholeBody(message: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}
