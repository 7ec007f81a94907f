import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { RLP } from '@ethereumjs/rlp'
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { JsonObject, JsonValue } from '../../src/runtime/rpc/index.js'

/** A call: its method and parameters. */
export type RecordedCall = readonly [method: string, params: readonly JsonValue[]]

/** An answer of a node. */
export interface NodeReply {
  /** HTTP status of a single call; 200 by default. */
  readonly status?: number
  readonly result?: JsonValue
  readonly error?: { readonly code: number; readonly message: string; readonly data?: JsonValue }
  /** Null for an answer without an id. */
  readonly id?: null
}

/** An answer of a live Rootstock node (RSKj 9, regtest), and the calls that it gave it to. */
export interface Recorded extends NodeReply {
  readonly calls: readonly RecordedCall[]
}

const file = new URL('../fixtures/rootstock-node/recorded.jsonl', import.meta.url)
export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The chain of the recordings, regtest, and that of the service's test network. */
const recordedChain = 33
const testChain = 31

/** Swaps the two chains in a signed legacy transaction, so that the service forwards those of the recorded network. */
function withTestChain(raw: JsonValue | undefined): JsonValue {
  if (typeof raw !== 'string' || !/^0xf8/.test(raw)) return raw ?? null
  const members = RLP.decode(raw) as Uint8Array[]
  const v = Number(`0x${Buffer.from(members[6] ?? []).toString('hex')}`)
  const chain = Math.floor((v - 35) / 2)
  const other = new Map([
    [recordedChain, testChain],
    [testChain, recordedChain],
  ]).get(chain)
  if (other === undefined) return raw
  const swapped = members.with(6, Uint8Array.of(v + 2 * (other - chain)))
  return `0x${Buffer.from(RLP.encode(swapped)).toString('hex')}`
}

/** A sent transaction has another hash with the other chain. */
function ofTestChain(recorded: Recorded): Recorded {
  const calls = recorded.calls.map(([method, params]): RecordedCall => {
    const isSent = method === 'eth_sendRawTransaction' && params.length > 0
    return [method, isSent ? [withTestChain(params[0])] : params]
  })
  const [method, [raw] = []] = calls[0] ?? []
  if (method !== 'eth_sendRawTransaction' || typeof recorded.result !== 'string')
    return { ...recorded, calls }
  const hash = keccak_256(Buffer.from(String(raw).slice(2), 'hex'))
  return { ...recorded, calls, result: `0x${Buffer.from(hash).toString('hex')}` }
}

/** The recorded answers. Each call occurs once. */
export const recordedAnswers: readonly Recorded[] = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line): Recorded => JSON.parse(line))
  .map(ofTestChain)

/** Number of the node's head: after every recorded block, and before the blocks that were recorded as missing. */
const recordedHead = 0xd00

/** Methods that read state at a block. */
export const stateMethods: ReadonlySet<string> = new Set([
  'eth_getBalance',
  'eth_getCode',
  'eth_getStorageAt',
  'eth_getTransactionCount',
  'eth_call',
  'eth_estimateGas',
])

const keyOf = (method: string, params: readonly JsonValue[]) => `${method} ${JSON.stringify(params)}`

const replies: ReadonlyMap<string, NodeReply> = new Map(
  recordedAnswers.flatMap(({ calls, ...reply }) =>
    calls.map(([method, params]) => [keyOf(method, params), reply] as const),
  ),
)

/** The blocks of the recordings by number and by hash, with whole transactions where both forms are recorded. */
const blocks = new Map<string, JsonObject>()
for (const { calls, result } of recordedAnswers) {
  const [method] = calls[0] ?? []
  if (!method?.startsWith('eth_getBlockBy') || !isObject(result) || typeof result['hash'] !== 'string')
    continue
  const hasWhole = isObject((result['transactions'] as readonly JsonValue[])[0])
  for (const key of [result['hash'], String(result['number'])]) {
    if (hasWhole || !blocks.has(key)) blocks.set(key, result)
  }
}

/**
 * Returns the block of a selector, if the node has it.
 * @param selector a number, a hash, or an object with one of them (EIP-1898)
 */
export function recordedBlock(selector: JsonValue | undefined): JsonObject | undefined {
  if (isObject(selector)) return recordedBlock(selector['blockHash'] ?? selector['blockNumber'])
  const text = String(selector).toLowerCase()
  if (/^0x[0-9a-f]{64}$/.test(text)) return blocks.get(text)
  const number = text === 'earliest' ? 0 : text === 'latest' ? recordedHead : Number(text)
  return number <= recordedHead ? (blocks.get(`0x${number.toString(16)}`) ?? emptyBlock(number)) : undefined
}

/** Number of the head when most reads of `latest` were recorded. */
const latestNumber = '0x56b'

/** Position of the block among the parameters of a read of state. */
const blockAt = (method: string) => (method === 'eth_getStorageAt' ? 2 : 1)

/** Names a read of state by what is read and by its block, however the call writes them. */
function keyAtBlock(method: string, params: readonly JsonValue[]): string {
  const at = blockAt(method)
  const { data, input = data ?? '0x', ...call } = isObject(params[0]) ? params[0] : {}
  const read = isObject(params[0]) ? [{ ...call, input }] : params.slice(0, at)
  const number = recordedBlock(params[at] ?? 'latest')?.['number'] ?? null
  return keyOf(method, [...read, Number(number) >= Number(latestNumber) ? 'latest' : number])
}

/** Returns true if a node refused the form of a call, which says nothing of other forms. */
const isOfForm = (code: number, block: JsonValue | undefined) =>
  code === -32600 || code === -32602 || (code === -32603 && isObject(block))

const repliesAtBlock = new Map<string, NodeReply>()
for (const { calls, ...reply } of recordedAnswers) {
  for (const [method, params] of calls) {
    if (!stateMethods.has(method) || isOfForm(reply.error?.code ?? 0, params[blockAt(method)])) continue
    const key = keyAtBlock(method, params)
    if (!repliesAtBlock.has(key)) repliesAtBlock.set(key, reply)
  }
}

/** A block without transactions, in the node's form. */
function emptyBlock(number: number): JsonObject {
  const template = blocks.get('0x0') ?? {}
  const hash = `0x${'e'.repeat(56)}${number.toString(16).padStart(8, '0')}`
  return { ...template, number: `0x${number.toString(16)}`, hash }
}

/** Answers the calls that the service adds to a recorded call, as the node answers them. */
function answerOther(method: string, params: readonly JsonValue[]): NodeReply {
  const [first, second] = params
  switch (method) {
    case 'eth_getBlockByHash':
    case 'eth_getBlockByNumber': {
      const block = recordedBlock(first)
      if (block === undefined) return { result: null }
      const transactions = block['transactions'] as readonly JsonValue[]
      const hashes = transactions.map((entry) => (isObject(entry) ? (entry['hash'] ?? null) : entry))
      return { result: second === true ? block : { ...block, transactions: hashes } }
    }
    case 'eth_getLogs':
      return { result: [] }
    case 'eth_getTransactionByBlockHashAndIndex':
    case 'eth_getTransactionByBlockNumberAndIndex':
      return { result: null }
    default:
      if (stateMethods.has(method)) return answerAtBlock(method, params)
      return { error: { code: -32601, message: 'method not found' } }
  }
}

/** Answers a read of state as recorded for another form of the same call and block, else with zero. */
function answerAtBlock(method: string, params: readonly JsonValue[]): NodeReply {
  const at = blockAt(method)
  if (params.length > at + 1)
    return { status: 400, error: { code: -32602, message: 'method parameters invalid' } }
  if (recordedBlock(params[at]) === undefined)
    return { status: 400, error: { code: -32600, message: 'Block not found' } }
  const reply = repliesAtBlock.get(keyAtBlock(method, params))
  if (reply !== undefined) return reply
  if (method === 'eth_estimateGas') return { result: '0xffff' }
  return { result: method === 'eth_getCode' || method === 'eth_call' ? '0x' : '0x0' }
}

/** A node of a test. */
export interface ReplyingNode {
  readonly url: string
  close(): void
}

/** Starts a node that answers as recorded. Its network has the chain id of the service's test network. */
export const startRecordedNode = (): Promise<ReplyingNode> =>
  startReplyingNode((method, params) => {
    if (method === 'eth_chainId') return { result: '0x1f' }
    if (method === 'eth_blockNumber') return { result: `0x${recordedHead.toString(16)}` }
    return replies.get(keyOf(method, params)) ?? answerOther(method, params)
  })

/** Starts a node that answers single calls and batches with the replies of a function. */
export async function startReplyingNode(
  reply: (method: string, params: readonly JsonValue[]) => NodeReply | Promise<NodeReply>,
): Promise<ReplyingNode> {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const body = JSON.parse(text)
    const answered = await Promise.all(
      [body].flat().map(async ({ id, method, params = [] }) => {
        const { status = 200, ...rest } = await reply(method, params)
        return { status, answer: { jsonrpc: '2.0', id, ...rest } }
      }),
    )
    const single = Array.isArray(body) ? undefined : answered[0]
    response.writeHead(single?.status ?? 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(single?.answer ?? answered.map(({ answer }) => answer)))
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
