/**
 * The peer that does nothing, and the node of those that forward: bare node:http, the body parsed, an answer written, to
 * a batch one for each call. Prints its port.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const answer = ({ id }: { readonly id: number }) => ({ jsonrpc: '2.0', id, result: '0x1f' })

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)))
  })
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
process.on('SIGTERM', () => process.exit(0))
