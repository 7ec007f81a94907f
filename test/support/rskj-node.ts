import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { limits } from '../../generated/contract.js'
import type { JsonObject, JsonValue } from '../../src/runtime/rpc/index.js'
import { isObject, type NodeReply, type ReplyingNode, stateMethods } from './recorded-node.js'
import { answerAsRootstock, askOf } from './rootstock-node.js'

/** An answer with its HTTP status; undefined for one without a body. */
interface Reply {
  readonly status: number
  readonly body?: JsonValue
}

const batchItems = 50
/** Nesting at which the node refuses a body. */
const depth = 60

const refusal = (message: string): NodeReply => ({ status: 400, error: { code: -32602, message } })
const internal: NodeReply = { error: { code: -32603, message: 'Internal server error' } }
const noMethod: NodeReply = { error: { code: -32601, message: 'method not found' } }
const tooManyLogs: NodeReply = { error: { code: -32012, message: 'Filter returned more than 20000 logs.' } }
/** Code of the chain's refusal of too many logs. */
const logsRefused = -32005
const ofParams = refusal('method parameters invalid')
/** A refusal of the transport, which has neither `jsonrpc` nor an id. */
const bare = (status: number, code: number, message: string): Reply => ({
  status,
  body: { error: { code, message } },
})

/** Numbers of parameters that each method takes: the least and the most. */
const counts: Readonly<Record<string, readonly [least: number, most: number]>> = {
  ...Object.fromEntries(
    ['accounts', 'blockNumber', 'chainId', 'gasPrice', 'protocolVersion'].map((name) => [
      `eth_${name}`,
      [0, 0],
    ]),
  ),
  ...{ net_version: [0, 0], web3_clientVersion: [0, 0], web3_sha3: [1, 1], eth_sendRawTransaction: [1, 1] },
  ...{ eth_getBalance: [1, 2], eth_estimateGas: [1, 2], eth_getStorageAt: [3, 3], eth_getLogs: [1, 1] },
  ...Object.fromEntries(
    [
      ...['getCode', 'getTransactionCount', 'call', 'getBlockByHash', 'getBlockByNumber'],
      ...['getTransactionByBlockHashAndIndex', 'getTransactionByBlockNumberAndIndex'],
    ].map((name) => [`eth_${name}`, [2, 2]]),
  ),
  ...Object.fromEntries(
    [
      ...['getBlockTransactionCountByHash', 'getBlockTransactionCountByNumber', 'getTransactionByHash'],
      ...['getTransactionReceipt', 'getUncleCountByBlockHash', 'getUncleCountByBlockNumber'],
    ].map((name) => [`eth_${name}`, [1, 1]]),
  ),
}

const isTag = (value: JsonValue | undefined) => /^(latest|earliest|pending)$/.test(String(value))
const isHex = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value)
const isHash = (value: JsonValue | undefined) => isHex(value) && value.length === 66
/** A number without its leading zeros, which the node ignores. */
const minimal = (hex: string) => `0x${hex.slice(2).replace(/^0+(?=.)/, '')}`

/** What the node takes a value for, in the form of the contract, or its refusal of the value. */
type Taken = { readonly value: JsonValue } | NodeReply
const isReply = (taken: Taken): taken is NodeReply => !('value' in taken)

/** Reads the number of a block. A hash is a number, too; of a block that exists, it finds the block. */
function blockNumber(value: JsonValue | undefined): Taken {
  if (value === null) return internal
  if (isTag(value) && typeof value === 'string') return { value }
  if (isHex(value)) return { value: isHash(value) ? value : minimal(value) }
  return refusal(`invalid blocknumber ${isObject(value) ? '{' : value}`)
}

/** Reads the block of a state. */
function stateBlock(method: string, value: JsonValue | undefined): Taken {
  if (!isObject(value)) return typeof value === 'number' ? refusal('Invalid input') : blockNumber(value)
  if (method === 'eth_estimateGas') return refusal("Invalid block identifier '{'")
  if (value['requireCanonical'] !== undefined) return internal
  const { blockHash, blockNumber: number } = value
  if (isHash(blockHash)) return { value: { blockHash: String(blockHash).toLowerCase() } }
  return isHex(number) ? { value: { blockNumber: minimal(number) } } : refusal('Invalid block input')
}

const hashOf = (value: JsonValue | undefined): Taken =>
  isHash(value) ? { value: String(value).toLowerCase() } : refusal('Invalid block hash: incorrect length.')

const addressOf = (value: JsonValue | undefined): Taken =>
  /^(0x)?[0-9a-f]{40}$/i.test(String(value))
    ? { value: `0x${String(value).replace('0x', '').toLowerCase()}` }
    : refusal('Invalid address: null, empty or invalid hex value.')

const indexOf = (value: JsonValue | undefined): Taken =>
  isHex(value) && value.length < 11
    ? { value: minimal(value) }
    : refusal('Invalid index param: value must be a valid hex number.')

function positionOf(value: JsonValue | undefined): Taken {
  const digits = String(value).replace(/^0x/, '')
  if (!/^[0-9a-f]*$/i.test(digits) || digits.length > 64) return refusal(`Invalid param: ${value}...`)
  return { value: minimal(`0x${digits === '' ? '0' : digits}`) }
}

/** Members of call objects that the node reads as numbers, written in any form. */
const quantities = ['gas', 'gasPrice', 'value', 'nonce']

/** Reads a call object: members that the node does not know are ignored, and missing ones are not missed. */
function callOf(value: JsonValue | undefined): Taken {
  if (!isObject(value)) return value === null ? internal : refusal('Invalid input')
  const call: Record<string, JsonValue> = {}
  for (const name of ['from', 'to']) {
    const given = value[name]
    if (given === undefined || given === null) continue
    const address = addressOf(given)
    if (isReply(address)) return address
    call[name] = address.value
  }
  for (const name of quantities) {
    const given = value[name]
    if (given === undefined || given === null) continue
    const digits = typeof given === 'string' && given.startsWith('0x') ? given : undefined
    if (digits !== undefined && !/^0x[0-9a-f]*$/i.test(digits)) return refusal('Invalid input')
    call[name] = digits === undefined ? '0x0' : minimal(digits === '0x' ? '0x0' : digits)
  }
  const data = value['data'] ?? value['input']
  if (data !== undefined && data !== null) {
    if (typeof data !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(data)) return refusal('Invalid data format')
    call['data'] = data
  }
  return { value: call }
}

/** Reads a filter of logs, whose members may be wrong in number and kind. */
function filterOf(value: JsonValue | undefined): Taken {
  if (!isObject(value)) return value === null ? internal : refusal('Invalid input')
  const { fromBlock, toBlock, blockHash, address, topics } = value
  if (blockHash !== undefined && (fromBlock !== undefined || toBlock !== undefined))
    return refusal('Cannot specify both blockHash and fromBlock/toBlock')
  if (blockHash !== undefined && !isHash(blockHash)) return refusal('Invalid block hash: incorrect length.')
  const filter: Record<string, JsonValue> = blockHash === undefined ? {} : { blockHash }
  for (const [name, given] of Object.entries({ fromBlock, toBlock })) {
    if (given === undefined) continue
    const block = blockNumber(given)
    if (isReply(block)) return block
    filter[name] = block.value
  }
  const addresses = [address ?? []].flat().map(addressOf)
  const wrong = addresses.find(isReply)
  if (wrong !== undefined) return wrong
  const invalid = [topics ?? []].flat(2).find((topic) => topic !== null && !isHash(topic as JsonValue))
  if (invalid !== undefined) return refusal('Invalid topic')
  return {
    value: { ...filter, ...(address == null ? {} : { address }), ...(topics == null ? {} : { topics }) },
  }
}

/** Reads the parameters of a call as the node does, or refuses one of them. */
function taken(method: string, params: readonly JsonValue[]): readonly JsonValue[] | NodeReply {
  const [first, second, third] = params
  const read: Taken[] = []
  if (method === 'eth_getLogs') read.push(filterOf(first))
  else if (method === 'eth_call' || method === 'eth_estimateGas') read.push(callOf(first))
  else if (stateMethods.has(method)) read.push(addressOf(first))
  else if (/ByHash|ByBlockHash|Receipt/.test(method)) read.push(hashOf(first))
  else if (/Number/.test(method) && params.length > 0) read.push(blockNumber(first))
  else read.push(...params.slice(0, 1).map((value) => ({ value })))
  if (method === 'eth_getStorageAt') read.push(positionOf(second), stateBlock(method, third))
  else if (stateMethods.has(method) && params.length > 1) read.push(stateBlock(method, second))
  else if (method.endsWith('AndIndex')) read.push(indexOf(second))
  else if (params.length > 1)
    read.push(typeof second === 'boolean' ? { value: second } : refusal('Invalid input'))
  return read.find(isReply) ?? read.map((one) => ('value' in one ? one.value : null))
}

type Ask = ReturnType<typeof askOf>

/** Answers a call. */
async function reply(method: string, params: readonly JsonValue[], ask: Ask): Promise<NodeReply> {
  const [least, most] = counts[method] ?? []
  if (least === undefined || most === undefined) return noMethod
  if (params.length < least || params.length > most) return ofParams
  const read = taken(method, params)
  if (!Array.isArray(read)) return read as NodeReply
  const [first, second] = read as readonly JsonValue[]
  if (method === 'eth_accounts') return { result: [`0x${'cd'.repeat(20)}`] }
  if (method === 'web3_sha3' && !isHex(first))
    return refusal("Parameter must be hexadecimal encoded with the '0x' prefix.")
  if (method === 'eth_sendRawTransaction')
    return isHex(first) ? internal : refusal('Invalid data format: invalid hex value.')
  if (method === 'eth_getBlockByNumber' && isHash(first))
    return answerAsRootstock('eth_getBlockByHash', read, ask)
  if (isObject(first) && method === 'eth_call' && Object.keys(first).length === 0) return { result: '0x' }
  if (
    method === 'eth_call' &&
    isObject(first) &&
    Number(first['gas'] ?? limits.transactionGas) < limits.transactionGas
  )
    return internal
  const isHashOfState = stateMethods.has(method) && isHash(method === 'eth_getStorageAt' ? read[2] : second)
  if (isHashOfState && method === 'eth_getCode') return { result: null }
  if (isHashOfState && !/call|estimate/.test(method))
    return { status: 400, error: { code: -32600, message: 'Block not found' } }
  const answer = await answerAsRootstock(method, read as readonly JsonValue[], ask)
  // The chain has more logs than the node's own limit is meant to allow.
  return answer.error?.code === logsRefused ? tooManyLogs : answer
}

/** Answers an item of a batch, or a single call. Undefined for a notification, which gets no answer. */
async function replyTo(item: JsonValue, ask: Ask): Promise<Reply | undefined> {
  if (Array.isArray(item)) return { status: 200, body: [] }
  const { id, method, params = [], jsonrpc } = isObject(item) ? item : ({} as JsonObject)
  if (typeof method !== 'string' || jsonrpc === undefined || jsonrpc === null)
    return {
      status: 400,
      body: { jsonrpc: '2.0', id: id ?? 'null', error: { code: -32600, message: 'invalid request' } },
    }
  if (id === undefined || id === null) return undefined
  const given = params ?? []
  const { status = 200, ...answer } = Array.isArray(given)
    ? await reply(method, given as readonly JsonValue[], ask)
    : ofParams
  return { status, body: { jsonrpc: '2.0', id, ...answer } as JsonValue }
}

const depthOf = (value: JsonValue | undefined): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map((inner) => depthOf(inner)))
    : 0

async function replyToBody(text: string, ask: Ask): Promise<Reply> {
  if (text === '') return bare(200, -32099, 'Unexpected error')
  let body: JsonValue
  try {
    body = JSON.parse(text)
  } catch {
    return {
      status: 400,
      body: { jsonrpc: '2.0', id: 'null', error: { code: -32700, message: 'JSON parse error' } },
    }
  }
  if (depthOf(body) > depth) return bare(400, -32600, 'Invalid request')
  if (!Array.isArray(body)) return (await replyTo(body, ask)) ?? { status: 200 }
  if (body.length > batchItems)
    return bare(
      400,
      -32600,
      `Cannot dispatch batch requests. ${batchItems} is the max number of supported batch requests`,
    )
  const replies = await Promise.all(body.map((item) => replyTo(item, ask)))
  return { status: 200, body: replies.map((one) => one?.body ?? null) }
}

/**
 * Starts a node with the data of a chain and the habits that were recorded of RSKj 9.1, as `conform` meets them without
 * the service. They are statuses of HTTP, forms of parameters, errors, batches, blocks and receipts.
 * @param chain URL of the chain
 */
export async function startRskjNode(chain: string): Promise<ReplyingNode> {
  const ask = askOf(chain)
  const server = createServer(async (request, response) => {
    response.sendDate = false
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size <= limits.bodyBytes) chunks.push(chunk)
    }
    const isJson = /^application\/json(-rpc)?\b/.test(request.headers['content-type'] ?? '')
    const { status, body } =
      request.method !== 'POST'
        ? { status: 501 }
        : !isJson
          ? { status: 415 }
          : size > limits.bodyBytes
            ? { status: 413 }
            : await replyToBody(Buffer.concat(chunks).toString(), ask)
    response.writeHead(status, body === undefined ? {} : { 'content-type': 'application/json' })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
