import { proseLine } from '../../codegen/markdown.js'
import { code } from '../../codegen/schema-notes.js'
import { callText } from './call-text.js'
import type { ReadDocument } from './read-document.js'
import type { StandIn } from './stand-ins.js'
import { urlPath } from './url-path.js'

/** What the README of a new project tells. */
export interface ReadmeOptions {
  /** The package's name. */
  readonly name: string
  readonly document: Pick<ReadDocument, 'contract' | 'path'>
  readonly standIns: readonly StandIn[]
  /** What is left to do, a sentence each. */
  readonly remarks: readonly string[]
}

/** README.md: three commands, a call, and how to go on. */
export function readmeText({ name, document, standIns, remarks }: ReadmeOptions): string {
  const left = remarks.map((remark) => `- ${remark}\n`).join('')
  const link = `[${code(document.path)}](${urlPath(document.path)})`
  return `# ${name}

${proseLine(document.contract.title) || 'This'}: a JSON-RPC service of the contract ${link}.

\`\`\`sh
npm install
npm test         # compiles, and calls the service
npm start        # serves it on port 8080, or on $PORT
\`\`\`
Ctrl+C ends it. A supervisor or a script that ends it by a signal runs \`node --import tsx src/server.ts\` itself: npm does not hand SIGTERM on.

While it runs, hold it to its contract, from another terminal:

\`\`\`sh
npm run conform -- http://127.0.0.1:8080/
\`\`\`
The script sends calls that write, too (\`--allow write\`): point it at services that may be written to, or call \`npx concordat conform\` without that option, which then sends only methods that the contract marks with \`"x-effect": "read"\`.
${callText(standIns)}${left === '' ? '' : `\n## To do\n\n${left}`}
## Go on

1. Change ${link}; \`npm run lint\` tells what is wrong with it.
2. \`npm run generate\` writes [\`generated/\`](generated/) anew: types, validators, errors, the client, a [reference](generated/REFERENCE.md).
3. Write the methods in [\`src/handlers.ts\`](src/handlers.ts); what does not fit the contract does not compile.
`
}
