import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { limits } from '../../generated/contract.js'
import type { JsonValue } from '../../src/runtime/rpc/index.js'

/**
 * What a node sends for a call: a result or an error as text, which `FILL` makes as large as an answer may be, or an
 * answer without an end.
 */
export type LargeAnswer = (method: string, params: readonly JsonValue[]) => string | 'endless'

/** A node that sends the largest possible answers. */
export interface LargestNode {
  readonly url: string
  /** Methods of the received calls, without checks of the node. */
  readonly calls: string[]
  /** The answers to all calls but checks of the node. */
  answer: LargeAnswer
  close(): void
}

const fill = 'FILL'
const piece = Buffer.alloc(65_536, '61')

/** Starts the node. */
export async function startLargestNode(chainId: string): Promise<LargestNode> {
  /** Sends the same bytes until the reader closes the connection. */
  async function sendEndless(response: ServerResponse, id: number): Promise<void> {
    response.write(`{"jsonrpc":"2.0","id":${id},"result":"0x`)
    while (!response.destroyed) {
      if (response.write(piece)) continue
      const waiting = new AbortController()
      const { signal } = waiting
      await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })])
      waiting.abort()
    }
  }

  function send(response: ServerResponse, id: number, text: string): void {
    const [before = '', after] = `{"jsonrpc":"2.0","id":${id},${text}}`.split(fill)
    if (after === undefined) {
      response.end(before)
      return
    }
    // An even number of digits, and not a byte more than an answer may have.
    const room = limits.nodeAnswerBytes - Buffer.byteLength(before + after)
    const filling = Buffer.alloc(room - (room % 2), '61')
    response.writeHead(200, { 'content-length': Buffer.byteLength(before + after) + filling.length })
    response.write(before)
    response.write(filling)
    response.end(after)
  }

  const head = '0x10'
  const block = { number: head, hash: `0x${'10'.repeat(32)}`, timestamp: '0x5f5e100', transactions: [] }
  const usual: Readonly<Record<string, JsonValue>> = {
    eth_chainId: chainId,
    eth_blockNumber: head,
    eth_syncing: false,
  }
  /** The answer to a check of the node; undefined for a call of a request. */
  const checked = (method: string, [first]: readonly JsonValue[]) =>
    method === 'eth_getBlockByNumber' && first === head ? block : usual[method]
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const given = JSON.parse(body)
    if (Array.isArray(given)) {
      // Calls that are sent alone have larger answers.
      const error = { code: -32600, message: 'no batches' }
      response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
      return
    }
    const { id, method, params } = given
    const check = checked(method, params)
    if (check === undefined) node.calls.push(method)
    const answer = check === undefined ? node.answer(method, params) : `"result":${JSON.stringify(check)}`
    if (answer === 'endless') await sendEndless(response, id)
    else send(response, id, answer)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const node: LargestNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    answer: () => '"result":null',
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  return node
}
