import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { HttpEdge } from '../http/http-edge.js'
import { createCloseWithConnection, NodeRequest, type NodeRequestOptions } from '../http/node-request.js'

/**
 * Selects the requests that bypass Fastify's router, hooks and body parser, which are half of the total cost.
 */
export interface DirectRequests extends Pick<NodeRequestOptions, 'addressOf'> {
  /**
   * Returns the path parameters of a POST request to an RPC path. If undefined, Fastify handles the request,
   * with the same result or with another route.
   * @param url the URL of the request line
   * @param bytes the bytes of the request, if available
   * @param urlAt offset of the URL in `bytes`
   */
  readonly paramsOf: (
    url: string,
    bytes?: Uint8Array,
    urlAt?: number,
  ) => Readonly<Record<string, string>> | undefined
  /** If false, Node's parser reads every request, without the fast lane. Default: true. */
  readonly fastLane?: boolean | undefined
}

/** Handles requests to RPC paths before Fastify, and passes on all other requests. */
export function bypassFastify(
  { server }: FastifyInstance,
  { paramsOf, addressOf }: DirectRequests,
  edge: HttpEdge,
  bodyBytes: number,
): void {
  const others = server.listeners('request')
  server.removeAllListeners('request')
  const closeWithConnection = createCloseWithConnection()
  const options = { addressOf, bodyBytes, edge }
  server.on('request', (raw: IncomingMessage, response: ServerResponse) => {
    closeWithConnection(response)
    const params = raw.method === 'POST' ? paramsOf(raw.url ?? '') : undefined
    if (params === undefined) {
      for (const listener of others) listener.call(server, raw, response)
      return
    }
    edge.post(new NodeRequest(raw, response, params, options))
  })
}
