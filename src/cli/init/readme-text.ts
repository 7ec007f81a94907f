import { code, proseLine } from '../../codegen/index.js'
import { callText } from './call-text.js'
import type { ReadDocument } from './read-document.js'
import type { StandIn } from './stand-ins.js'
import { urlPath } from './url-path.js'

/** The contents of a new project's README. */
export interface ReadmeOptions {
  /** The package's name. */
  readonly name: string
  readonly document: Pick<ReadDocument, 'contract' | 'path'>
  readonly standIns: readonly StandIn[]
  /** Remaining work, one sentence each. */
  readonly remarks: readonly string[]
}

/** Creates README.md: commands, an example call and the next steps. */
export function readmeText({ name, document, standIns, remarks }: ReadmeOptions): string {
  const left = remarks.map((remark) => `- ${remark}\n`).join('')
  const link = `[${code(document.path)}](${urlPath(document.path)})`
  return `# ${name}

${proseLine(document.contract.title) || 'This'}: a JSON-RPC service that implements the contract ${link}.

\`\`\`sh
npm install
npm test         # compiles the project and calls the service
npm start        # serves it on port 8080 or $PORT
\`\`\`

Ctrl+C stops it. Supervisors and scripts that stop it with a signal should run \`node --import tsx src/server.ts\` directly: npm does not forward SIGTERM.

Check the running service against its contract from another terminal:

\`\`\`sh
npm run conform -- http://127.0.0.1:8080/
\`\`\`

The script also calls methods that write (\`--allow write\`). Use it only on services that may be changed, or run \`npx concordat conform\` without that option: it then calls only methods that the contract marks with \`"x-effect": "read"\`.
${callText(standIns)}${left === '' ? '' : `\n## To do\n\n${left}`}
## Next steps

1. Change ${link}. \`npm run lint\` reports problems in it.
2. \`npm run generate\` updates [\`generated/\`](generated/): types, validators, errors, the client and a [reference](generated/REFERENCE.md).
3. Implement the methods in [\`src/handlers.ts\`](src/handlers.ts). Handlers that do not match the contract do not compile.
`
}
