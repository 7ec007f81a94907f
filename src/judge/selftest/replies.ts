import { type JsonValue, parseJson } from '../../toolkit/contract/index.js'
import type { FaultHooks } from './fault.js'
import { type HttpReply, withBody, withHeader } from './http-message.js'

/** Parses a body as JSON; undefined if invalid. Large numbers lose digits. */
export function jsonOf(body: Uint8Array): JsonValue | undefined {
  return parseJson(Buffer.from(body).toString())
}

/** Replaces status and body of a response with JSON. */
export function jsonReply(reply: HttpReply, status: number, text: string): HttpReply {
  const typed = withHeader(reply.headers, 'content-type', 'application/json')
  return { ...withBody({ ...reply, headers: typed }, text), status }
}

/** Replaces status and body of a response with an HTML page. */
export function pageReply(reply: HttpReply, status: number, text: string): HttpReply {
  const typed = withHeader(reply.headers, 'content-type', 'text/html; charset=utf-8')
  const page = `<!doctype html><title>${text}</title><h1>${text}</h1>\n`
  return { ...withBody({ ...reply, headers: typed }, page), status }
}

/** Removes a header from responses; from all of them without a filter. */
export function withoutHeader(name: string, isMeant: (reply: HttpReply) => boolean = () => true): FaultHooks {
  return {
    reply: (reply) =>
      isMeant(reply) ? { ...reply, headers: withHeader(reply.headers, name, undefined) } : reply,
  }
}

/** Changes the status of responses and keeps their bodies. */
export function statusBecomes(status: number, isMeant: (reply: HttpReply) => boolean): FaultHooks {
  return {
    reply: (reply) => (isMeant(reply) ? { ...reply, status } : reply),
  }
}

/** Builds the text of an error response with the id null. */
export function rpcError(code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })
}
