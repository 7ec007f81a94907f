/**
 * Simulates a node that answers calls and batches immediately. Takes the network number, prints its port.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface NodeRequest {
  readonly id: number
  readonly method: string
}

const [chainId = ''] = process.argv.slice(2)
const answers: Readonly<Record<string, string>> = { eth_chainId: chainId, eth_blockNumber: '0x5b8d80' }

const answer = ({ id, method }: NodeRequest) => ({
  jsonrpc: '2.0',
  id,
  result: answers[method] ?? '0x16345785d8a0000',
})

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const asked: NodeRequest | NodeRequest[] = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const body = JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
process.on('SIGTERM', () => process.exit(0))
