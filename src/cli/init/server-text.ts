/**
 * Creates server.ts, which runs the service until SIGINT or SIGTERM.
 * @param contract the name of the contract's package
 * @param isConnected true for a contract with subscriptions or calls to clients, which need WebSockets
 * @param hasScopes true if methods require scopes
 */
export function serverText(contract: string, isConnected: boolean, hasScopes: boolean): string {
  const scopes = hasScopes
    ? `
// Grants all scopes. To restrict them, return the caller's scopes: ({ name }) => ['orders:read'].
const scopes = () => undefined
`
    : ''
  const mount = isConnected
    ? `// Subscriptions, and calls to clients, need a connection: ws://127.0.0.1:PORT/ takes the same messages.
const sockets = mountWebSocket(server.server, { service, context: parts.context, path: '/' })
`
    : ''
  const close = isConnected ? 'void sockets.close().then(() => server.close())' : 'void server.close()'
  return `import { createHttpServer, createService } from '@concordat/server'
${isConnected ? "import { mountWebSocket } from '@concordat/server/web-socket'\n" : ''}import { methods } from '${contract}/methods'
import { handlers } from './handlers.js'
import { type Caller, loadParts } from './parts.js'

const [port, host] = [Number(process.env.PORT ?? 8080), process.env.HOST ?? '127.0.0.1']
${scopes}
const parts = await loadParts()
const service = createService<Caller>({ methods, handlers, ${hasScopes ? 'scopes, ' : ''}...parts })
const server = await createHttpServer({ service, context: parts.context, otherwise: parts.otherwise })
  .listen({ port, host })
  .catch((error: Error) => {
    console.error(\`Cannot listen on port \${port}. Set PORT to use another. \${error.message}\`)
    process.exit(1)
  })
${mount}console.log(\`Listening on \${server.url}\`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => ${close})
}
`
}
