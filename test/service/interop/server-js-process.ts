import type { AddressInfo, Server as NetServer } from 'node:net'
import { JSONRPCError, Server, transports } from '@open-rpc/server-js'
import { RpcError } from '../../../src/runtime/rpc/index.js'
import {
  byPosition,
  ContractRouter,
  FastifyTransport,
  guardTransport,
} from '../../../src/runtime/server/server-js/index.js'
import { createCalculator, methods } from '../../unit/runtime/server/calculator.js'

/**
 * A process with services of `@open-rpc/server-js`, each on its own port. `ours` uses our router and transport in every
 * combination, `theirs` only the package. It writes one line: the ports by name.
 */

/** The part of the calculator's document that the package's own router supports. */
const document = {
  openrpc: '1.3.2',
  info: { title: 'Calculator', version: '1.0.0' },
  methods: [
    {
      name: 'add',
      paramStructure: 'by-position',
      params: ['left', 'right'].map((name) => ({ name, required: true, schema: { type: 'number' } })),
      result: { name: 'sum', schema: { type: 'number' } },
    },
    {
      name: 'odd',
      paramStructure: 'by-position',
      params: [{ name: 'kind', required: true, schema: { type: 'string' } }],
      result: { name: 'odd', schema: { type: 'number' } },
    },
  ],
}

const calculator = createCalculator()
const odd = (kind: string): unknown => {
  if (kind === 'packageError') throw new JSONRPCError('the store is closed', 4001, { opens: 'at nine' })
  if (kind === 'packageErrorLater') return Promise.reject(new JSONRPCError('closed', 4002))
  if (kind === 'contractError') throw new RpcError({ code: 7, message: 'seven', data: [7] })
  return calculator.odd({ kind } as never, undefined, undefined as never)
}
const theirMethods = {
  add: async (left: number, right: number) => left + right,
  odd: async (kind: string) => odd(kind),
}

const ours = () =>
  new ContractRouter({
    methods,
    handlers: { ...calculator, ...byPosition({ odd: methods.odd }, { odd }) },
    document: JSON.stringify(document),
    onError: () => undefined,
  })
const quiet = { onError: () => undefined, limits: { bodyBytes: 10_000, nestingDepth: 20 } }
const http = () => new transports.HTTPTransport({ port: 0, middleware: [] })
const webSocket = () => new transports.WebSocketTransport({ port: 0, middleware: [], timeout: 1 })

const server = new Server({ openrpcDocument: document })
const added: Record<string, InstanceType<typeof transports.ServerTransport>> = {}

function add(name: string, transport: InstanceType<typeof transports.ServerTransport>): typeof transport {
  server.addTransport(transport)
  added[name] = transport
  return transport
}

if (process.argv[2] === 'theirs') {
  server.addRouter(document, theirMethods)
  add('http', http())
  add('webSocket', webSocket())
} else {
  add('fastify', new FastifyTransport({ port: 0, ...quiet })).addRouter(ours())
  add('guardedHttp', guardTransport(http(), quiet)).addRouter(ours())
  add('guardedWebSocket', guardTransport(webSocket(), quiet)).addRouter(ours())
  add('http', http()).addRouter(ours())
  add('webSocket', webSocket()).addRouter(ours())
  // The package's own router behind our transport, taken from its server.
  const another = new Server({ openrpcDocument: document, methodMapping: theirMethods })
  const transport = new FastifyTransport({ port: 0, ...quiet })
  another.addTransport(transport)
  added['theirRouter'] = transport
  await another.start()
}
await server.start()

function portOf(transport: object): number {
  if (transport instanceof FastifyTransport) return Number(new URL(transport.url).port)
  const { server } = transport as { readonly server: NetServer }
  return (server.address() as AddressInfo).port
}

const ports = Object.entries(added).map(([name, transport]) => [name, portOf(transport)] as const)
process.stdout.write(`${JSON.stringify(Object.fromEntries(ports))}\n`)
// A regular exit writes its coverage.
process.once('SIGTERM', () => process.exit(0))
