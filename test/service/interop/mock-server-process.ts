import type { AddressInfo, Server } from 'node:net'
import mockServer from '@open-rpc/mock-server/build/index.js'
import { parseOpenRPCDocument } from '@open-rpc/schema-utils-js'

/** A process with @open-rpc/mock-server on a free port, serving a document. It writes one line: its port. */
const document = await parseOpenRPCDocument(process.argv[2] ?? '')
const service = mockServer.default(0, document)
await service.start()
const { transports } = service as unknown as { readonly transports: readonly { readonly server: Server }[] }
const address = transports[0]?.server.address() as AddressInfo
process.stdout.write(`${JSON.stringify({ mock: address.port })}\n`)
// A regular exit writes its coverage.
process.once('SIGTERM', () => process.exit(0))
