/** A peer on Fastify, which our service also uses, with one route and a schema for its answer. Prints its port. */
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'

const app = Fastify()
const response = {
  type: 'object',
  properties: { jsonrpc: { type: 'string' }, id: { type: 'integer' }, result: { type: 'string' } },
}
app.post('/', { schema: { response: { 200: response } } }, (request, reply) => {
  const { id } = request.body as { readonly id: number }
  reply.send({ jsonrpc: '2.0', id, result: '0x1f' })
})
await app.listen({ host: '127.0.0.1', port: 0 })
console.log((app.server.address() as AddressInfo).port)
process.on('SIGTERM', () => process.exit(0))
