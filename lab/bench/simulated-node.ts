import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

interface NodeRequest {
  readonly id: number
  readonly method: string
}

/** A node that answers calls and batches immediately. */
export interface SimulatedNode {
  readonly server: Server
  readonly port: number
}

/**
 * Starts a node on a free port of 127.0.0.1.
 * @param chainId network number in hexadecimal
 */
export async function startSimulatedNode(chainId: string): Promise<SimulatedNode> {
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
      const length = Buffer.byteLength(body)
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': length })
      response.end(body)
    })
  })
  server.keepAliveTimeout = 60_000
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}
