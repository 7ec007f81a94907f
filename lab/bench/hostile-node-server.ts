/**
 * Simulates a node with the answers that are most expensive to read. Takes the network number, prints its port.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostileAnswers } from './hostile-answers.js'

interface NodeRequest {
  readonly id: number
  readonly method: string
  readonly params: unknown
}

const [chainId = ''] = process.argv.slice(2)
const hostile = new Map(
  Object.values(hostileAnswers).map(({ request, answer }) => {
    const { method, params } = JSON.parse(request)
    return [keyOf(method, params), answer] as const
  }),
)

/** The method, and the value of its first parameter. */
function keyOf(method: string, [first]: readonly (string | { readonly to?: string })[]): string {
  return `${method} ${typeof first === 'object' ? first.to : first}`
}

const usual: Readonly<Record<string, string>> = { eth_chainId: chainId, eth_blockNumber: '0x5b8d80' }

function answer({ id, method, params }: NodeRequest): string {
  const made = Array.isArray(params) ? hostile.get(keyOf(method, params as readonly string[])) : undefined
  if (made !== undefined) return made().replace('ID', String(id))
  return JSON.stringify({ jsonrpc: '2.0', id, result: usual[method] ?? '0x16345785d8a0000' })
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const asked: NodeRequest | NodeRequest[] = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const body = Array.isArray(asked) ? `[${asked.map(answer).join()}]` : answer(asked)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
process.on('SIGTERM', () => process.exit(0))
