/**
 * A node with slow calls and large answers, which the addresses in `isolation-work.ts` select. Its argument is the chain
 * id, a quantity such as `0x1f`. It prints its port.
 */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { addresses, head, slowMilliseconds } from './isolation-work.js'

interface CallParams {
  readonly from?: string
  readonly address?: string
  readonly fromBlock?: string
  readonly toBlock?: string
}

interface NodeRequest {
  readonly id: number
  readonly method: string
  readonly params: readonly [CallParams & string, unknown]
}

const [chainId = '0x1f'] = process.argv.slice(2)
const word = (value: number) => value.toString(16).padStart(64, '0')
const quantity = (value: number) => `0x${value.toString(16)}`
const ok = (id: number, result: string) => `{"jsonrpc":"2.0","id":${id},"result":${result}}`
const refused = (id: number, code: number, message: string) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })

const data = '5a'.repeat(1_000)

/** Returns the logs of a block of `addresses.large`: 25 logs of 2.3 kB, so 2,000 blocks have 115 MB. */
function logsOf(block: number): string {
  const logs = Array.from(
    { length: 25 },
    (_, index) =>
      `{"address":"${addresses.large}","blockHash":"0x${word(block)}","blockNumber":"${quantity(block)}","data":"0x${data}","logIndex":"${quantity(index)}","removed":false,"topics":["0x${word(1)}"],"transactionHash":"0x${word(block)}","transactionIndex":"0x0"}`,
  )
  return logs.join()
}

/** Sends logs block by block, as fast as the service reads them, so that other calls do not wait. */
async function sendLogs(response: ServerResponse, id: number, from: number, to: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write(`{"jsonrpc":"2.0","id":${id},"result":[`)
  for (let number = from; number <= to && !response.destroyed; number++) {
    const hasRoom = response.write(number === from ? logsOf(number) : `,${logsOf(number)}`)
    if (hasRoom) await nextTurn()
    else await once(response, 'drain', { signal: AbortSignal.timeout(60_000) }).catch(() => undefined)
  }
  response.end(']}')
}

function logs(id: number, { address, fromBlock, toBlock }: CallParams): string {
  const most = addresses.limits.find((limit) => limit.address === address)?.blocks ?? 5_000
  return Number(toBlock) - Number(fromBlock) < most
    ? ok(id, '[]')
    : refused(id, -32_012, `Cannot query more than ${most} blocks at once`)
}

function block(number: string): string {
  const hex = number.startsWith('0x') ? number : quantity(head)
  const hash = (of: number) => `0x${word(of)}`
  return JSON.stringify({
    ...{
      number: hex,
      hash: hash(Number(hex)),
      parentHash: hash(Number(hex) - 1),
      transactions: [],
      uncles: [],
    },
    ...{
      timestamp: quantity(Math.floor(Date.now() / 1_000)),
      gasLimit: '0x67c280',
      gasUsed: '0x0',
      size: '0x1',
    },
  })
}

async function answer({ id, method, params }: NodeRequest): Promise<string> {
  const [first] = params
  switch (method) {
    case 'eth_chainId':
      return ok(id, `"${chainId}"`)
    case 'eth_blockNumber':
      return ok(id, `"${quantity(head)}"`)
    case 'eth_syncing':
      return ok(id, 'false')
    case 'eth_getBlockByNumber':
      return ok(id, block(first))
    case 'eth_getLogs':
      return logs(id, first)
    case 'eth_call':
      if (first.from === addresses.slow) await delay(slowMilliseconds)
      return first.from === addresses.reverting
        ? refused(id, 3, 'execution reverted: no')
        : ok(id, `"0x${word(1)}"`)
    case 'eth_estimateGas':
      return first.from === addresses.reverting
        ? refused(id, 3, 'execution reverted: no')
        : ok(id, '"0x5208"')
    case 'eth_getBalance':
      return ok(id, '"0x16345785d8a0000"')
    default:
      return refused(id, -32_601, `the method ${method} does not exist`)
  }
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', async () => {
    const asked: NodeRequest | NodeRequest[] = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    if (!Array.isArray(asked) && asked.params[0]?.address === addresses.large) {
      const { fromBlock, toBlock } = asked.params[0]
      await sendLogs(response, asked.id, Number(fromBlock), Number(toBlock))
      return
    }
    const body = Array.isArray(asked)
      ? `[${(await Promise.all(asked.map(answer))).join()}]`
      : await answer(asked)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
process.on('SIGTERM', () => process.exit(0))
