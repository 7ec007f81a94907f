/**
 * Creates server.ts, which serves the handlers until SIGINT or SIGTERM.
 * @param contract the name of the contract's package
 * @param isConnected true for a contract with subscriptions or calls to clients, which need WebSockets
 * @param hasScopes true for a contract whose methods need scopes
 */
export function serverText(contract: string, isConnected: boolean, hasScopes: boolean): string {
  const options = `{ methods, handlers${hasScopes ? ', scopes' : ''} }`
  const scopes = hasScopes
    ? `
// Every caller has all scopes. Return those of the caller's token: (context) => ['orders:read'].
const scopes = () => undefined
`
    : ''
  const imports = isConnected
    ? `import { createHttpServer, createService } from '@concordat/server'
import { mountWebSocket } from '@concordat/server/web-socket'
`
    : `import { createServer } from '@concordat/server'
`
  const create = isConnected
    ? `const service = createService(${options})
const server = await createHttpServer({ service })`
    : `const server = await createServer(${options})`
  const mount = isConnected
    ? `// Subscriptions, and calls to clients, need a connection: ws://127.0.0.1:PORT/ takes the same messages.
const sockets = mountWebSocket(server.server, { service, path: '/' })
`
    : ''
  const close = isConnected ? 'void sockets.close().then(() => server.close())' : 'void server.close()'
  return `${imports}import { methods } from '${contract}/methods'
import { handlers } from './handlers.js'

const port = Number(process.env.PORT ?? 8080)
${scopes}
${create}
  .listen({ port })
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
