/**
 * Creates server.ts, which serves the handlers until SIGINT or SIGTERM.
 * @param contract the name of the contract's package
 * @param isConnected true for a contract with subscriptions or calls to clients, which need WebSockets
 */
export function serverText(contract: string, isConnected: boolean): string {
  const imports = isConnected
    ? `import { createHttpServer, createService } from '@concordat/server'
import { mountWebSocket } from '@concordat/server/web-socket'
`
    : `import { createServer } from '@concordat/server'
`
  const create = isConnected
    ? `const service = createService({ methods, handlers })
const server = await createHttpServer({ service })`
    : 'const server = await createServer({ methods, handlers })'
  const mount = isConnected
    ? `// Subscriptions, and calls to clients, need a connection: ws://127.0.0.1:PORT/ takes the same messages.
const sockets = mountWebSocket(server.server, { service, path: '/' })
`
    : ''
  const close = isConnected ? 'void sockets.close().then(() => server.close())' : 'void server.close()'
  return `${imports}import { methods } from '${contract}/methods'
import { handlers } from './handlers.js'

const port = Number(process.env.PORT ?? 8080)

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
