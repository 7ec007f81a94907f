import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { JsonObject, JsonValue } from '../../src/runtime/rpc/index.js'
import type { NodeSettings } from '../../src/service/gateway/nodes/index.js'
import { isObject } from '../../src/toolkit/contract/index.js'

/** A call as a node receives it. */
export interface NodeServerCall {
  readonly id: number
  readonly method: string
  readonly params: readonly JsonValue[]
}

/** A request as a node receives it: one call or a batch. */
export interface NodeServerRequest {
  readonly calls: readonly NodeServerCall[]
  readonly isBatch: boolean
  readonly message: IncomingMessage
}

/** A node with a chain of empty blocks, controlled by the test. */
export interface NodeServer {
  readonly url: string
  /** Number of the latest block. */
  head: number
  /** Name of its branch. Blocks of other branches have other hashes. */
  branch: string
  chainId: string
  /** Its answer to eth_syncing; undefined for a node without that method. */
  syncing: JsonValue | undefined
  /** Time of its blocks, in seconds since 1970; undefined for blocks without a time. */
  blockTime: number | undefined
  /** Further members of its blocks. */
  block: JsonObject
  /** Intercepts requests. A return value of true means that the interceptor answers. */
  fault: ((request: NodeServerRequest, response: ServerResponse) => boolean) | undefined
  /** The received calls without checks of its network, progress and head. */
  readonly requests: NodeServerRequest[]
  /** The node as the configuration names it. */
  settings(changes?: Partial<NodeSettings>): NodeSettings
  close(): Promise<void>
}

/** Hash of a block of a branch. */
export const blockHash = (branch: string, number: number) =>
  `0x${Buffer.from(branch).toString('hex').padEnd(32, '0')}${number.toString(16).padStart(32, '0')}`

const checks = new Set(['eth_chainId', 'eth_syncing', 'eth_blockNumber'])

/** Starts a node. The balance of an address is the number in its digits, and `eth_call` returns the same number. */
export async function startNodeServer(
  changes: Partial<
    Pick<NodeServer, 'head' | 'branch' | 'chainId' | 'syncing' | 'blockTime' | 'block' | 'fault'>
  > = {},
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
    syncing: undefined,
    blockTime: undefined,
    block: {},
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

/** Answers a request in its form, single or batch. */
export function sendAnswers(
  { calls, isBatch }: NodeServerRequest,
  response: ServerResponse,
  answerOf: (call: NodeServerCall) => object,
): void {
  const answers = calls.map((call) => ({ jsonrpc: '2.0', id: call.id, ...answerOf(call) }))
  // Without an earlier `writeHead`, Node.js sends `Content-Length`, as most nodes do.
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(isBatch ? answers : answers[0]))
}

const unknownMethod = { error: { code: -32601, message: 'method not found' } }

function answer(node: NodeServer, { method, params }: NodeServerCall): object {
  const quantity = (value: number) => `0x${value.toString(16)}`
  switch (method) {
    case 'eth_chainId':
      return { result: node.chainId }
    case 'eth_syncing':
      return node.syncing === undefined ? unknownMethod : { result: node.syncing }
    case 'eth_blockNumber':
      return { result: quantity(node.head) }
    case 'eth_getBlockByNumber': {
      const [selector] = params
      const number = selector === 'latest' ? node.head : Number(selector)
      if (number > node.head) return { result: null }
      const time = node.blockTime === undefined ? {} : { timestamp: quantity(node.blockTime) }
      const hash = blockHash(node.branch, number)
      return { result: { ...node.block, number: quantity(number), hash, ...time, transactions: [] } }
    }
    case 'eth_call': {
      const [called] = params
      const address = isObject(called) ? called['to'] : called
      return { result: `0x${String(address).slice(2).padStart(64, '0')}` }
    }
    case 'eth_getBalance':
      return {
        result: `0x${String(params[0])
          .slice(-8)
          .replace(/^0+(?=.)/, '')}`,
      }
    default:
      return unknownMethod
  }
}
