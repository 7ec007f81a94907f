import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { examples } from '../../generated/examples.js'

/** A test node with any number of logs and the limits of real nodes. */
export interface LogNode {
  readonly url: string
  /** Number of the latest block. */
  head: number
  /** Time for each answer with logs, in milliseconds. */
  delayMs: number
  /** The calls, and when each of them arrived. */
  readonly arrivals: { readonly method: string; readonly filter: Filter; readonly at: number }[]
  /** The largest number of concurrent calls with logs since it was set to 0. */
  mostAtOnce: number
  /** Number of logs by block number. */
  readonly logs: Map<number, number>
  /** The largest range that it answers, in blocks. */
  mostBlocks: number
  /** The largest number of logs that it answers. */
  mostLogs: number
  /** Closes the connection after this many logs of an answer; undefined for whole answers. */
  cutAfter: number | undefined
  /** Number of bytes written in answers with logs. */
  readonly written: () => number
  /** The filters of its calls. */
  readonly filters: Filter[]
  close(): void
}

interface Filter {
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly blockHash?: string
}

const quantity = (value: number) => `0x${value.toString(16)}`
const word = (value: number) => value.toString(16).padStart(64, '0')

/** A complete block without transactions: that of the contract's example with another place in the chain. */
const blockAt = (number: number, hash: unknown) => ({
  ...examples.eth_getBlockByNumber[0].result,
  ...{ number: quantity(number), hash, parentHash: hashOfBlock(number - 1), transactions: [] },
})

/** Hash of a block. */
export const hashOfBlock = (number: number) => `0x${word(number)}`

/** A log in the contract's form, of about 700 bytes. */
export function logText(block: number, index: number): string {
  const topics = [1, 2, index].map((topic) => `"0x${word(topic)}"`).join(',')
  return (
    `{"address":"0x${'a1'.repeat(20)}","blockHash":"${hashOfBlock(block)}","blockNumber":"${quantity(block)}",` +
    `"data":"0x${word(index).repeat(2)}","logIndex":"${quantity(index)}","topics":[${topics}],` +
    `"transactionHash":"0x${word(block + index)}","transactionIndex":"0x0","removed":false}`
  )
}

/** The same log as Rootstock's nodes write it. */
const foreignText = (block: number, index: number) => logText(block, index).replace(',"removed":false', '')

/** Starts the node. */
export async function startLogNode(): Promise<LogNode> {
  let written = 0
  let inFlight = 0

  async function sendLogs(response: ServerResponse, id: unknown, filter: Filter): Promise<void> {
    const numbers = filter.blockHash === undefined ? inRange(node.logs, filter) : [Number(filter.blockHash)]
    const span = Number(filter.toBlock ?? 0) - Number(filter.fromBlock ?? 0) + 1
    const count = numbers.reduce((sum, number) => sum + (node.logs.get(number) ?? 0), 0)
    const refusal =
      span > node.mostBlocks
        ? `Cannot query more than ${node.mostBlocks} blocks at once`
        : count > node.mostLogs && `Filter returned more than ${node.mostLogs} logs.`
    response.writeHead(200, { 'content-type': 'application/json' })
    if (refusal) {
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32012, message: refusal } }))
      return
    }
    let told = 0
    let text = `{"jsonrpc":"2.0","id":${id},"result":[`
    const flush = async () => {
      written += text.length
      const hasRoom = response.write(text)
      text = ''
      if (!hasRoom && !response.destroyed) await roomIn(response)
    }
    for (const number of numbers) {
      for (let index = 0; index < (node.logs.get(number) ?? 0); index++) {
        if (told === node.cutAfter) {
          await flush()
          response.destroy()
          return
        }
        text += `${told++ === 0 ? '' : ','}${foreignText(number, index)}`
        if (text.length > 65_536) await flush()
        if (response.destroyed) return
      }
    }
    written += text.length
    response.end(`${text}]}`)
  }

  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const calls = JSON.parse(body)
    const [{ id, method, params }] = [calls].flat()
    const at = performance.now()
    for (const {
      method,
      params: [filter],
    } of [calls].flat())
      node.arrivals.push({ method, filter, at })
    if (method === 'eth_getLogs') {
      node.filters.push(params[0])
      node.mostAtOnce = Math.max(node.mostAtOnce, ++inFlight)
      if (node.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, node.delayMs))
      // The service may send its next call as soon as it has the answer.
      inFlight--
      await sendLogs(response, id, params[0])
      return
    }
    const answers = [calls]
      .flat()
      .map((call) => ({ jsonrpc: '2.0', id: call.id, result: resultOf(call, node.head) }))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(Array.isArray(calls) ? answers : answers[0]))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const node: LogNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    head: 100_000,
    delayMs: 0,
    arrivals: [],
    mostAtOnce: 0,
    logs: new Map(),
    mostBlocks: Number.POSITIVE_INFINITY,
    mostLogs: Number.POSITIVE_INFINITY,
    cutAfter: undefined,
    written: () => written,
    filters: [],
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  return node
}

/** Waits until the socket has drained or closed. */
function roomIn(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}

const inRange = (logs: ReadonlyMap<number, number>, { fromBlock, toBlock }: Filter) =>
  [...logs.keys()]
    .filter((number) => number >= Number(fromBlock) && number <= Number(toBlock))
    .sort((a, b) => a - b)

function resultOf({ method, params }: { method: string; params: readonly unknown[] }, head: number): unknown {
  switch (method) {
    case 'eth_chainId':
      return '0x1f'
    case 'eth_blockNumber':
      return quantity(head)
    case 'eth_getBlockByNumber': {
      const number = params[0] === 'latest' ? head : Number(params[0])
      return blockAt(number, hashOfBlock(number))
    }
    case 'eth_getBlockByHash':
      return blockAt(Number(params[0]), params[0])
    default:
      return null
  }
}
