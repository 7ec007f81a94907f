import { quote } from '../../codegen/index.js'
import { urlPath } from './copied-files.js'
import type { ReadDocument } from './read-document.js'

/**
 * Creates server.ts, which serves the handlers until SIGINT or SIGTERM.
 * @param contract the name of the contract's package
 */
export function serverText(
  contract: string,
  { path, isJson }: Pick<ReadDocument, 'path' | 'isJson'>,
): string {
  return `import { readFileSync } from 'node:fs'
import { createServer } from '@concordat/server'
import { methods } from '${contract}/methods'
${isJson ? '' : "import { parse } from 'yaml'\n"}import { handlers } from './handlers.js'

// The answer to rpc.discover.
const text = readFileSync(new URL(${quote(`../../${urlPath(path)}`)}, import.meta.url), 'utf8')
const document = ${isJson ? 'text' : 'JSON.stringify(parse(text, { merge: true, maxAliasCount: -1 }))'}
const port = Number(process.env.PORT ?? 8080)

const server = await createServer({ methods, handlers, document })
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
