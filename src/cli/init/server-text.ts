/**
 * Creates server.ts, which serves the handlers until SIGINT or SIGTERM.
 * @param contract the name of the contract's package
 */
export function serverText(contract: string): string {
  return `import { createServer } from '@concordat/server'
import { methods } from '${contract}/methods'
import { handlers } from './handlers.js'

const port = Number(process.env.PORT ?? 8080)

const server = await createServer({ methods, handlers })
  .listen({ port })
  .catch((error: Error) => {
    console.error(\`Cannot listen on port \${port}. Set PORT to use another. \${error.message}\`)
    process.exit(1)
  })
console.log(\`Listening on \${server.url}\`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void server.close())
}
`
}
