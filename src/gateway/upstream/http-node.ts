import { Pool } from 'undici'
import { failure } from '../../../generated/errors.js'
import type { JsonValue, RpcError } from '../../rpc/index.js'
import type { NodeAnswer } from '../node-call.js'
import { readAnswer } from './read-answer.js'

/** One node, asked over HTTP. */
export interface HttpNode {
  /**
   * Asks the node, one call a POST.
   * @param deadline aborts with a TimeoutError when the time is over, with anything else when the caller left
   * @throws RpcError noNode, nodeTooSlow or nodeAnsweredRubbish; the deadline's reason when the caller left
   */
  ask(method: string, params: readonly JsonValue[], deadline: AbortSignal): Promise<NodeAnswer>
  /** Cuts the connections; calls in flight are rejected. */
  close(): Promise<void>
}

/** Open connections to one node. */
const connections = 32

/** Statuses with which a node, or what stands before it, says that it takes no calls now. */
const notNow = new Set([429, 503])

/**
 * Keeps connections to a node.
 * @param url http or https, with path, query and credentials where the node wants them; it is never told to anybody
 */
export function createHttpNode(url: string): HttpNode {
  const { origin, pathname, search, username, password } = new URL(url)
  const pool = new Pool(origin, { connections })
  const path = pathname + search
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }
  if (username !== '' || password !== '') {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    headers['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`
  }
  let lastId = 0

  return {
    async ask(method, params, deadline) {
      const id = ++lastId
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
      const { status, text } = await post(pool, { path, headers, body, deadline })
      const answer = status >= 500 || notNow.has(status) ? undefined : readAnswer(text, id)
      if (answer !== undefined) return answer
      const cause = { status, beginning: text.slice(0, 200) }
      throw failure(notNow.has(status) ? 'noNode' : 'nodeAnsweredRubbish', { cause })
    },
    close: () => pool.destroy(),
  }
}

interface PostRequest {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
  readonly deadline: AbortSignal
}

async function post(pool: Pool, request: PostRequest): Promise<{ status: number; text: string }> {
  const { deadline: signal, ...rest } = request
  try {
    const response = await pool.request({ ...rest, method: 'POST', signal })
    return { status: response.statusCode, text: await response.body.text() }
  } catch (error) {
    throw transportFailure(error, signal)
  }
}

/** undici's own time-outs, beside the deadline. */
const timeouts = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT'])

function transportFailure(cause: unknown, deadline: AbortSignal): RpcError | unknown {
  if (deadline.aborted) {
    const { reason } = deadline
    return reason instanceof Error && reason.name === 'TimeoutError'
      ? failure('nodeTooSlow', { cause })
      : reason
  }
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return failure(timeouts.has(code) ? 'nodeTooSlow' : 'noNode', { cause })
}
