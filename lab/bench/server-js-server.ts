/** OpenRPC's own server as a peer: @open-rpc/server-js over HTTP, with one method and its schema. Prints its port. */
import { Server, transports } from '@open-rpc/server-js'
import { freePort } from '../../test/support/free-port.js'

const port = await freePort()
const server = new Server({
  openrpcDocument: {
    openrpc: '1.3.2',
    info: { title: 'bench', version: '1.0.0' },
    methods: [{ name: 'eth_chainId', params: [], result: { name: 'chainId', schema: { type: 'string' } } }],
  },
  methodMapping: { eth_chainId: async () => '0x1f' },
})
server.addTransport(new transports.HTTPTransport({ port, middleware: [] }))
await server.start()
console.log(port)
process.on('SIGTERM', () => process.exit(0))
