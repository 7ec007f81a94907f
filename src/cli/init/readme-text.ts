import { shellWord } from '../../judge/index.js'
import { access, code, codeBlock, literal, proseLine } from '../../toolkit/codegen/index.js'
import { isArray, type JsonValue } from '../../toolkit/contract/index.js'
import { urlPath } from './copied-files.js'
import { isCallable, isShown, needsNothing } from './example-test.js'
import type { ReadDocument } from './read-document.js'
import type { StandIn } from './stand-ins.js'
import { generatedFolder } from './workspace-files.js'

/** Maximum length of the parameters of the shown call, in characters. */
const paramsMost = 200

/** The contents of a new project's README. */
export interface ReadmeOptions {
  /** The name of the service's package. */
  readonly name: string
  /** The name of the contract's package. */
  readonly contract: string
  readonly document: Pick<ReadDocument, 'contract' | 'path'>
  readonly standIns: readonly StandIn[]
  /** Remaining work, one sentence each. */
  readonly remarks: readonly string[]
  /** True for a contract with subscriptions or calls to clients, which need WebSockets. */
  readonly isConnected: boolean
}

/** Creates README.md: commands, an example call and the next steps. */
export function readmeText({
  name,
  contract,
  document,
  standIns,
  remarks,
  isConnected,
}: ReadmeOptions): string {
  const left = remarks.map((remark) => `- ${remark}\n`).join('')
  const link = `[${code(document.path)}](${urlPath(document.path)})`
  return `# ${name}

${proseLine(document.contract.title) || 'This'}: a JSON-RPC service that implements the contract ${link}.

\`\`\`sh
npm install
npm test         # compiles both packages and calls the service
npm start        # compiles both packages and serves on port 8080 or $PORT
\`\`\`

Ctrl+C stops it. Supervisors and scripts that stop it with a signal should run \`npm run build\` once and then \`node service/dist/server.js\`: npm does not forward SIGTERM. The compiled service needs no development dependencies.

Check the running service against its contract from another terminal:

\`\`\`sh
npm run conform -- http://127.0.0.1:8080/
${isConnected ? 'npm run conform -- ws://127.0.0.1:8080/   # subscriptions need a connection\n' : ''}\`\`\`

The script also calls methods that write (\`--allow write\`). Use it only on services that may be changed, or run \`npx concordat conform\` without that option: it then calls only methods that the contract marks with \`"x-effect": "read"\`.
${callText(contract, standIns)}${left === '' ? '' : `\n## To do\n\n${left}`}
## Next steps

1. Change ${link}. \`npm run lint\` reports problems in it.
2. \`npm run generate\` updates [\`${generatedFolder}/\`](${generatedFolder}/), the package \`${contract}\`: types, validators, errors, the client and a [reference](${generatedFolder}/REFERENCE.md). Integrators install it: see [its README](${generatedFolder}/README.md).
3. Implement the methods in [\`service/src/handlers.ts\`](service/src/handlers.ts). Handlers that do not match the contract do not compile.

## Parts

Each part is one file. Edit it, or delete it:

| file | what it does |
|---|---|
| [\`service/src/parts/authentication.ts\`](service/src/parts/authentication.ts) | bearer tokens: \`TOKENS="ada=secret-1,bob=secret-2"\`. Without \`TOKENS\`, authentication is disabled |
| [\`service/src/parts/limit.ts\`](service/src/parts/limit.ts) | at most \`CALLS_PER_MINUTE\` calls per caller and minute (6,000) |
| [\`service/src/parts/metrics.ts\`](service/src/parts/metrics.ts) | Prometheus metrics at \`/metrics\`: calls and durations by method and code |
| [\`Dockerfile\`](Dockerfile) | an image that runs as a non-root user |
| [\`.github/workflows/contract.yml\`](.github/workflows/contract.yml) | \`lint\`, \`diff\` against the base branch, tests, and \`conform\` against the started service |
`
}

/** Returns a section that shows one call with curl and with the typed client, or nothing. */
function callText(contract: string, standIns: readonly StandIn[]): string {
  const [shown] = standIns.filter(isCallable).flatMap((standIn) => {
    const params = paramsOf(standIn)
    return params === undefined || JSON.stringify(params).length > paramsMost ? [] : [{ standIn, params }]
  })
  if (shown === undefined) return ''
  const { standIn, params } = shown
  return `
## Call it

${codeBlock('sh', curlLine(standIn.method.name, params))}
${codeBlock('ts', clientLines(contract, standIn, params))}`
}

/** Returns the parameters of the first example, or empty parameters if none are required. */
function paramsOf(standIn: StandIn): JsonValue | undefined {
  if (isShown(standIn)) return standIn.examples[0]?.params
  if (standIn.kind === 'silent' || !needsNothing(standIn)) return undefined
  return standIn.method.paramStructure === 'by-name' ? {} : []
}

function curlLine(method: string, params: JsonValue): string {
  const body = shellWord(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  return `curl -s http://127.0.0.1:8080/ -H 'content-type: application/json' \\\n  -d ${body}`
}

function clientLines(contract: string, { path, method }: StandIn, params: JsonValue): string {
  const values = method.params.length === 0 ? [] : isArray(params) ? params : [params]
  return `import { createClient } from '${contract}/client'

const client = createClient('http://127.0.0.1:8080/')
console.log(await client${path.map(access).join('')}(${values.map((item) => literal(item)).join(', ')}))`
}
