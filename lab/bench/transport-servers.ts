/** Servers of one method on one transport each: ours and its peers, as the documentation of each shows. */
import { once } from 'node:events'
import { createServer as createNodeServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHttpServer, createServer, createService, type Methods } from '@concordat/server'
import { serveStdio } from '@concordat/server/stdio'
import { mountWebSocket } from '@concordat/server/web-socket'
import { freePort } from '../../test/support/free-port.js'

/** The contract of the method, for the servers that take one. */
export const sums = {
  openrpc: '1.3.2',
  info: { title: 'Sums', version: '1.0.0' },
  methods: [
    {
      name: 'add',
      paramStructure: 'either',
      params: ['a', 'b'].map((name) => ({ name, required: true, schema: { type: 'integer' } })),
      result: { name: 'sum', schema: { type: 'integer' } },
    },
  ],
}

/** Starts a server, and returns its port; undefined for standard input. */
type Start = (methods: Methods) => Promise<number | undefined>

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const add = ([a = 0, b = 0]: readonly number[]): number => a + b
const handlers = { add: ({ a, b }: { readonly a: number; readonly b: number }) => a + b }

/** The methods with validators that accept everything. */
function unchecked(methods: Methods): Methods {
  const isValid = () => []
  const accepting = (method: Methods[string]) => ({
    ...method,
    validateParams: isValid,
    validateResult: isValid,
  })
  return Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, accepting(method)]))
}

/** Serves HTTP as by default, or without CORS, which the servers of libraries do not have by default. */
async function http(methods: Methods, isDefault: boolean): Promise<number> {
  const cors = isDefault ? undefined : { allowOrigin: null }
  const server = createServer({ methods, handlers, validateResults: isDefault, cors })
  const { url } = await server.listen({ port: 0 })
  return Number(new URL(url).port)
}

/** Serves HTTP with the fast lane, as by default. */
async function fastLane(methods: Methods): Promise<number> {
  const server = createHttpServer({ service: createService({ methods, handlers }) })
  const { url } = await server.listen({ port: 0 })
  return Number(new URL(url).port)
}

async function webSocket(methods: Methods, validateResults: boolean): Promise<number> {
  const server = createNodeServer()
  mountWebSocket(server, { service: createService({ methods, handlers, validateResults }), path: '/' })
  return portOf(server)
}

async function stdio(methods: Methods, validateResults: boolean): Promise<undefined> {
  const service = createService({ methods, handlers, validateResults })
  serveStdio({ service, context: undefined, framing: 'content-length' })
}

async function jayson() {
  const { default: library } = await import('jayson')
  return new library.Server({
    add: (params: readonly number[], done: (error: null, sum: number) => void) => done(null, add(params)),
  })
}

async function jsonRpc2() {
  const { JSONRPCServer } = await import('json-rpc-2.0')
  const server = new JSONRPCServer()
  server.addMethod('add', add)
  return server
}

async function serverJs(transport: 'HTTPTransport' | 'WebSocketTransport'): Promise<number> {
  const { Server, transports } = await import('@open-rpc/server-js')
  const port = await freePort()
  const server = new Server({
    openrpcDocument: sums as never,
    methodMapping: { add: async (a: number, b: number) => a + b },
  })
  server.addTransport(new transports[transport]({ port, middleware: [] }))
  await server.start()
  return port
}

/** Servers by transport and name. Those of ours with validation come last. */
export const servers = {
  http: {
    'json-rpc-2.0': async () => {
      const { default: express } = await import('express')
      const server = await jsonRpc2()
      const app = express()
      app.use(express.json())
      app.post('/', (request, response) => {
        server.receive(request.body).then((answer) => {
          if (answer) response.json(answer)
          else response.sendStatus(204)
        })
      })
      return portOf(createNodeServer(app))
    },
    jayson: async () => portOf((await jayson()).http() as unknown as Server),
    '@open-rpc/server-js': () => serverJs('HTTPTransport'),
    ours: (methods) => http(unchecked(methods), false),
    'ours, validating': (methods) => http(methods, true),
    'ours, validating, fast lane': fastLane,
  },
  WebSocket: {
    'json-rpc-2.0': async () => {
      const { JSONRPCServer, JSONRPCClient, JSONRPCServerAndClient } = await import('json-rpc-2.0')
      const { WebSocketServer } = await import('ws')
      const server = createNodeServer()
      new WebSocketServer({ server }).on('connection', (socket) => {
        const client = new JSONRPCClient(async (request) => socket.send(JSON.stringify(request)))
        const both = new JSONRPCServerAndClient(new JSONRPCServer(), client)
        both.addMethod('add', add)
        socket.on('message', (data) => both.receiveAndSend(JSON.parse(String(data))))
      })
      return portOf(server)
    },
    jayson: async () => {
      const port = await freePort()
      const sockets = (await jayson()).websocket({ port, host: '127.0.0.1' } as never)
      await once(sockets as never, 'listening')
      return port
    },
    '@open-rpc/server-js': () => serverJs('WebSocketTransport'),
    ours: (methods) => webSocket(unchecked(methods), false),
    'ours, validating': (methods) => webSocket(methods, true),
  },
  stdio: {
    'vscode-jsonrpc': async () => {
      const { createMessageConnection, StreamMessageReader, StreamMessageWriter } = await import(
        'vscode-jsonrpc/node'
      )
      const reader = new StreamMessageReader(process.stdin)
      const connection = createMessageConnection(reader, new StreamMessageWriter(process.stdout))
      connection.onRequest('add', (a: number, b: number) => a + b)
      connection.listen()
      return undefined
    },
    ours: (methods) => stdio(unchecked(methods), false),
    'ours, validating': (methods) => stdio(methods, true),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Start>>>>

/** The name of a transport. */
export type TransportName = keyof typeof servers
