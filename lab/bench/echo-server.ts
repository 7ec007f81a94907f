/** A minimal peer on node:http, which parses the body and writes an answer. Prints its port. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { id } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const body = JSON.stringify({ jsonrpc: '2.0', id, result: '0x1f' })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
process.on('SIGTERM', () => process.exit(0))
