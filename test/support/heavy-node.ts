import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startChild } from './child.js'
import { logText } from './log-node.js'

/** A node with answers of any size, in a process of its own, so that callers do not delay it. */
export interface HeavyNode {
  readonly url: string
  /** Holds the following calls of eth_estimateGas. */
  hold(): void
  /** Answers the held calls, and later ones immediately. */
  release(): void
  close(): Promise<void>
}

/** Starts the node. */
export async function startHeavyNode(chainId: string): Promise<HeavyNode> {
  const child = startChild(new URL(import.meta.url), [chainId])
  await child.hasWritten(1)
  const tell = (command: Command) => child.process.stdin?.write(`${command}\n`)
  return {
    url: child.lines[0] ?? '',
    hold: () => tell('hold'),
    release: () => tell('release'),
    close: () => child.kill(),
  }
}

/** What the process reads from standard input. */
type Command = 'hold' | 'release'

interface Call {
  readonly id: number
  readonly method: string
  readonly params: readonly (string | { readonly to?: string; readonly blockHash?: string })[]
}

const mebibyte = 1_048_576
const mebibytesIn = (hex: string | undefined) => Number(`0x${hex?.slice(2, 6)}`) / 16

/** An address or hash that asks the node for an answer of this many mebibytes, and makes the call unique. */
export function sized(mebibytes: number, unique: number, bytes: 20 | 32): string {
  const size = (mebibytes * 16).toString(16).padStart(4, '0')
  return `0x${size}${unique.toString(16).padStart(2 * bytes - 4, '0')}`
}

/** Caches texts by their size, as bytes. */
function bytesBySize(make: (mebibytes: number) => string): (mebibytes: number) => Buffer {
  const made = new Map<number, Buffer>()
  return (mebibytes) => {
    const bytes = made.get(mebibytes) ?? Buffer.from(make(mebibytes))
    made.set(mebibytes, bytes)
    return bytes
  }
}

/** Bytes of a call's data. */
const dataOf = bytesBySize((size) => `"0x${'ab'.repeat((size * mebibyte) / 2)}"`)

/** A block with transactions, whose input is about 300 bytes each. */
const blockOf = bytesBySize((size) => {
  const transaction = `{"hash":"0x${'cd'.repeat(32)}","input":"0x${'ab'.repeat(300)}","nonce":"0x1","value":"0x0"}`
  const count = Math.floor((size * mebibyte) / (transaction.length + 1))
  return `{"number":"0x10","transactions":[${Array(count).fill(transaction).join()}]}`
})

/** Logs of one block. */
const logsOf = bytesBySize((size) => {
  const count = Math.floor((size * mebibyte) / (logText(16, 1).length + 9))
  return `[${Array.from({ length: count }, (_, index) => logText(16, index)).join()}]`
})

/** Runs the node in this process. Its memory is not filled: equal answers share their bytes. */
async function run(chainId: string): Promise<void> {
  let waiting: (() => void)[] | undefined

  function send(response: ServerResponse, id: number, result: Buffer): void {
    const head = Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`)
    response.writeHead(200, { 'content-length': head.length + result.length + 1 })
    response.write(head)
    response.write(result)
    response.end('}')
  }

  const known: Readonly<Record<string, string>> = { eth_chainId: chainId, eth_blockNumber: '0x2710' }

  function answer(response: ServerResponse, { id, method, params: [first] }: Call): void {
    const { to, blockHash } = typeof first === 'object' ? first : {}
    if (method === 'eth_call') send(response, id, dataOf(mebibytesIn(to)))
    else if (method === 'eth_getBlockByHash') send(response, id, blockOf(mebibytesIn(String(first))))
    else if (method === 'eth_getLogs') send(response, id, logsOf(mebibytesIn(blockHash)))
    else if (method === 'eth_estimateGas' && waiting !== undefined)
      waiting.push(() => send(response, id, Buffer.from('"0x5208"')))
    else send(response, id, Buffer.from(JSON.stringify(known[method] ?? '0x1')))
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body: Call | readonly Call[] = JSON.parse(Buffer.concat(chunks).toString())
    if (!Array.isArray(body)) return answer(response, body as Call)
    const answers = body.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: known[method] ?? '0x1' }))
    response.end(JSON.stringify(answers))
  }).listen(0, '127.0.0.1')
  server.keepAliveTimeout = 60_000
  await once(server, 'listening')
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
  for await (const command of createInterface(process.stdin)) {
    if (command === 'hold') waiting = []
    else {
      for (const resume of waiting ?? []) resume()
      waiting = undefined
    }
  }
  process.exit()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await run(process.argv[2] ?? '')
