import { shellWord } from '../../judge/index.js'
import { access, type GeneratedFile } from '../../toolkit/codegen/index.js'
import type { Contract, DeclaredError } from '../../toolkit/contract/index.js'
import type { ReadDocument } from './read-document.js'

/**
 * Creates the optional parts of the service: authentication, rate limit and metrics. Deleting a file removes its part.
 * Unauthorized and rate-limited calls are answered with the errors that the contract declares for 401, 403 and 429.
 * @param name the name of the contract's package
 */
export function serviceParts({ errors }: Contract, name: string): readonly GeneratedFile[] {
  const declared = (status: number) =>
    errors.find(({ httpStatus, dataRequired }) => httpStatus === status && !dataRequired)
  const [unauthorized, limited] = [declared(401) ?? declared(403), declared(429)]
  const importOf = (error: DeclaredError | undefined) =>
    error ? `import { errors } from '${name}/errors'` : "import { RpcError } from '@concordat/rpc'"
  const refusal = unauthorized
    ? `errors${access(unauthorized.key)}()`
    : "new RpcError({ code: -32016, message: 'Unauthorized', httpStatus: 401 })"
  const tooMany = limited
    ? `errors${access(limited.key)}({ retryAfterSeconds: seconds })`
    : "new RpcError({ code: -32005, message: 'Too many calls', httpStatus: 429, retryAfterSeconds: seconds })"
  return [
    {
      path: 'service/src/parts.ts',
      content: `import { readdir } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import type { Otherwise, ServiceOptions } from '@concordat/server'

/** An authenticated caller. */
export interface Caller {
  readonly name: string
}

/** Service options exported by a file in parts/. */
export interface Part extends Partial<Omit<ServiceOptions<Caller>, 'methods' | 'handlers'>> {
  /** Returns the caller of a request. Throws an RpcError if the request is unauthorized. */
  readonly context?: (request: Pick<IncomingMessage, 'headers'>) => Caller
  /** Handles requests that are not calls. */
  readonly otherwise?: Otherwise
}

/** Merges the options of all files in parts/. To remove a part, delete its file. */
export async function loadParts(): Promise<Part & Required<Pick<Part, 'context'>>> {
  const folder = new URL('parts/', import.meta.url)
  const names = await readdir(folder).catch(() => [])
  const files = names.filter((name) => name.endsWith('.js')).sort()
  const parts = await Promise.all(files.map(async (name) => (await import(new URL(name, folder).href)).default))
  return Object.assign({ context: () => ({ name: 'anyone' }) }, ...parts)
}
`,
    },
    {
      path: 'service/src/parts/authentication.ts',
      content: `${importOf(unauthorized)}
import type { Caller, Part } from '../parts.js'

/** Callers by Authorization header. Format: TOKENS="ada=secret-1,bob=secret-2". Without TOKENS, authentication is disabled. */
const callers = new Map<string, Caller>()
for (const entry of (process.env.TOKENS ?? '').split(',').filter(Boolean)) {
  const end = entry.indexOf('=')
  callers.set(\`Bearer \${entry.slice(end + 1)}\`, { name: entry.slice(0, end) })
}

const part: Part = {
  context({ headers }) {
    if (callers.size === 0) return { name: 'anyone' }
    const caller = callers.get(headers.authorization ?? '')
    if (caller === undefined) throw ${refusal}
    return caller
  },
}
export default part
`,
    },
    {
      path: 'service/src/parts/limit.ts',
      content: `${importOf(limited)}
import type { Part } from '../parts.js'

/** Length of a window in seconds. It is also the Retry-After of refused calls. */
const seconds = ${limited?.retryAfterSeconds || 60}
/** Maximum calls per caller and window. Each process counts separately. */
const most = Math.ceil((Number(process.env.CALLS_PER_MINUTE ?? 6_000) * seconds) / 60)
const used = new Map<string, number>()
setInterval(() => used.clear(), seconds * 1_000).unref()

const part: Part = {
  admit({ context: { name }, calls }) {
    const before = used.get(name) ?? 0
    const admitted = Math.min(calls, most - before)
    used.set(name, before + admitted)
    return admitted === calls ? { admitted } : { admitted, error: ${tooMany} }
  },
}
export default part
`,
    },
    {
      path: 'service/src/parts/metrics.ts',
      content: `import type { Part } from '../parts.js'

/** Call counts and durations by Prometheus labels, exposed at GET /metrics. */
const answered = new Map<string, { calls: number; seconds: number }>()

const part: Part = {
  onRequest({ calls }) {
    for (const { method = 'unknown', error, milliseconds } of calls) {
      const labels = \`method=\${JSON.stringify(method)},code="\${error?.code ?? 0}"\`
      const sum = answered.get(labels) ?? { calls: 0, seconds: 0 }
      answered.set(labels, { calls: sum.calls + 1, seconds: sum.seconds + milliseconds / 1_000 })
    }
    return undefined
  },
  otherwise(request, response, next) {
    if (request.url !== '/metrics') return next()
    const lines = [...answered].flatMap(([labels, { calls, seconds }]) => [
      \`rpc_seconds_count{\${labels}} \${calls}\`,
      \`rpc_seconds_sum{\${labels}} \${seconds}\`,
    ])
    response.setHeader('content-type', 'text/plain; version=0.0.4')
    response.end(\`# TYPE rpc_seconds summary\\n\${lines.join('\\n')}\\n\`)
  },
}
export default part
`,
    },
  ]
}

/** Creates the Dockerfile and the GitHub workflow. */
export const deploymentFiles = ({
  path,
  isRemote,
}: Pick<ReadDocument, 'path' | 'isRemote'>): readonly GeneratedFile[] => [
  {
    path: 'Dockerfile',
    content: `FROM node:22-slim AS build
WORKDIR /app
COPY . .
RUN npm install && npm run build && npm prune --omit=dev

FROM node:22-slim
WORKDIR /app
COPY --from=build /app .
USER node
ENV HOST=0.0.0.0 PORT=8080
EXPOSE 8080
CMD ["node", "service/dist/server.js"]
`,
  },
  { path: '.dockerignore', content: '.git\nnode_modules\n**/dist\n' },
  { path: '.github/workflows/contract.yml', content: workflow(path, isRemote) },
]

/** Runs lint, diff, the tests, and conform against the started service. */
const workflow = (document: string, isRemote: boolean) => `name: Contract
on:
  push: { branches: [main] }
  pull_request:
jobs:
  contract:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with: { fetch-depth: 0 }
      - uses: actions/setup-node@v4
        with: { node-version: 22 }
      - run: npm install
      - run: npx concordat lint --format github${isRemote ? ' --allow-remote' : ''}
      - run: npx concordat generate --check${isRemote ? ' --allow-remote' : ''}
      - if: github.base_ref != ''
        run: npx concordat diff --against "origin/$GITHUB_BASE_REF" --format github${isRemote ? ' --allow-remote' : ''}
      - run: npm test
      - name: Run conformance against the service
        run: |
          node service/dist/server.js &
          curl -s -o /dev/null --retry 30 --retry-delay 1 --retry-connrefused http://127.0.0.1:8080/
          npx concordat conform --contract ${shellWord(document)}${isRemote ? ' --allow-remote' : ''} --allow write http://127.0.0.1:8080/
`
