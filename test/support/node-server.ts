import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { NodeSettings } from '../../src/gateway/nodes/node-settings.js'
import type { JsonValue } from '../../src/rpc/index.js'

/** A call as it reaches a node. */
export interface NodeServerCall {
  readonly id: number
  readonly method: string
  readonly params: readonly JsonValue[]
}

/** A request as it reaches a node: one call, or a batch. */
export interface NodeServerRequest {
  readonly calls: readonly NodeServerCall[]
  readonly isBatch: boolean
  readonly message: IncomingMessage
}

/** A node made by a test: it has a chain of blocks without contents, and does what the test makes it do. */
export interface NodeServer {
  readonly url: string
  /** Number of its latest block. */
  head: number
  /** Names its branch: blocks of another branch have other hashes. */
  branch: string
  chainId: string
  /** Takes requests over: a request for which it returns true is its to answer. */
  fault: ((request: NodeServerRequest, response: ServerResponse) => boolean) | undefined
  /** What it was asked, apart from the checks of its network and head. */
  readonly requests: NodeServerRequest[]
  /** As configuration would name it. */
  settings(changes?: Partial<NodeSettings>): NodeSettings
  close(): Promise<void>
}

/** Hash of a block of a branch. */
export const blockHash = (branch: string, number: number) =>
  `0x${Buffer.from(branch).toString('hex').padEnd(32, '0')}${number.toString(16).padStart(32, '0')}`

const checks = new Set(['eth_chainId', 'eth_blockNumber'])

/** Starts a node; every address has the balance that its digits say, and a call returns them. */
export async function startNodeServer(
  changes: Partial<Pick<NodeServer, 'head' | 'branch' | 'chainId' | 'fault'>> = {},
  secure?: ServerOptions,
): Promise<NodeServer> {
  const handle = async (message: IncomingMessage, response: ServerResponse) => {
    let text = ''
    for await (const chunk of message.setEncoding('utf8')) text += chunk
    const body = JSON.parse(text)
    const isBatch = Array.isArray(body)
    const request = { calls: isBatch ? body : [body], isBatch, message }
    if (!(request.calls.length === 1 && checks.has(request.calls[0].method))) node.requests.push(request)
    if (node.fault?.(request, response) !== true) sendAnswers(request, response, (call) => answer(node, call))
  }
  const server: Server = secure === undefined ? createServer(handle) : createSecureServer(secure, handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `${secure === undefined ? 'http' : 'https'}://127.0.0.1:${port}`
  const node: NodeServer = {
    url,
    head: 100,
    branch: 'main',
    chainId: '0x1f',
    fault: undefined,
    requests: [],
    settings: (own) => ({ name: `node-${port}`, url, weight: 1, headers: {}, timeoutMs: 60_000, ...own }),
    async close() {
      server.closeAllConnections()
      server.close()
    },
    ...changes,
  }
  return node
}

/** Answers a request in the form it came in. */
export function sendAnswers(
  { calls, isBatch }: NodeServerRequest,
  response: ServerResponse,
  answerOf: (call: NodeServerCall) => object,
): void {
  const answers = calls.map((call) => ({ jsonrpc: '2.0', id: call.id, ...answerOf(call) }))
  // Without a head written before it, the answer's length is announced, as most nodes do.
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(isBatch ? answers : answers[0]))
}

function answer(node: NodeServer, { method, params }: NodeServerCall): object {
  const quantity = (value: number) => `0x${value.toString(16)}`
  switch (method) {
    case 'eth_chainId':
      return { result: node.chainId }
    case 'eth_blockNumber':
      return { result: quantity(node.head) }
    case 'eth_getBlockByNumber': {
      const [selector] = params
      const number = selector === 'latest' ? node.head : Number(selector)
      if (number > node.head) return { result: null }
      return { result: { number: quantity(number), hash: blockHash(node.branch, number), transactions: [] } }
    }
    case 'eth_call':
      return { result: `0x${String(params[0]).slice(2).padStart(64, '0')}` }
    case 'eth_getBalance':
      return {
        result: `0x${String(params[0])
          .slice(-8)
          .replace(/^0+(?=.)/, '')}`,
      }
    default:
      return { error: { code: -32601, message: 'method not found' } }
  }
}
