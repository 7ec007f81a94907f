/** server.ts: serves the handlers until it is told to stop. */
export function serverText(document: string): string {
  // Only JSON can be an answer as it is.
  const answersDocument = document.endsWith('.json')
  const imports = answersDocument ? "import { readFileSync } from 'node:fs'\n" : ''
  const read = answersDocument
    ? `// The answer to rpc.discover.
const document = readFileSync(new URL('../${document}', import.meta.url), 'utf8')
`
    : ''
  return `${imports}import { createServer } from 'concordat/server'
import { methods } from '../generated/methods.js'
import { handlers } from './handlers.js'

${read}const port = Number(process.env.PORT ?? 8080)

const server = await createServer({ methods, handlers${answersDocument ? ', document' : ''} }).listen({ port })
console.log(\`Listening on \${server.url}\`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void server.close())
}
`
}
