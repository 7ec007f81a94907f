/** A peer that forwards without checks: node:http for callers, undici for the node. Takes the node's URL, prints its port. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'

const [node = ''] = process.argv.slice(2)
const pool = new Pool(new URL(node).origin, { connections: 32 })
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', async () => {
    const answer = await pool.request({
      path: '/',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.concat(chunks),
    })
    const body = Buffer.from(await answer.body.arrayBuffer())
    response.writeHead(answer.statusCode, {
      'content-type': 'application/json',
      'content-length': body.length,
    })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
process.on('SIGTERM', () => process.exit(0))
