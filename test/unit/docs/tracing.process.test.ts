import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { markdownBlocks } from '../../support/markdown-blocks.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** What an application sets up once, and the spans as the last line of the output. */
const setUp = `
import { AsyncLocalStorage } from 'node:async_hooks'
import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'

const contexts = new AsyncLocalStorage()
context.setGlobalContextManager({
  active: () => contexts.getStore() ?? ROOT_CONTEXT,
  with: (own, run, self, ...given) => contexts.run(own, () => run.call(self, ...given)),
  bind: (own, run) => run,
  enable() { return this },
  disable() { return this },
})
propagation.setGlobalPropagator(new W3CTraceContextPropagator())
const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))
process.on('beforeExit', () => {
  const spans = exporter.getFinishedSpans().map((span) => [span.name, span.spanContext().traceId, span.spanContext().spanId])
  console.log(JSON.stringify(spans))
  process.exit()
})
`

t.test('the OpenTelemetry middleware of the guide sends the trace with each request', async (t) => {
  const seen: (string | undefined)[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    seen.push(request.headers['traceparent']?.toString())
    const isFirst = seen.length === 1
    const answers = [JSON.parse(body)].flat().map(({ id }) => ({ jsonrpc: '2.0', id, result: '0x1f' }))
    if (isFirst) response.writeHead(503).end()
    else response.end(JSON.stringify(body.startsWith('[') ? answers : answers[0]))
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const folder = await mkdtemp(join(tmpdir(), 'concordat-tracing-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  const guide = await readFile(join(root, 'docs/integrator.md'), 'utf8')
  const [program = ''] = markdownBlocks(guide, 'Middleware', 'ts')
  const batch = 'await Promise.all([client.eth_blockNumber(), client.eth_gasPrice()])'
  await writeFile(join(folder, 'set-up.mts'), setUp)
  await writeFile(join(folder, 'program.mts'), `${program}\n${batch}\n`)
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import=tsx', '--import=./set-up.mts', 'program.mts'],
    {
      cwd: folder,
      env: {
        ...process.env,
        TSX_TSCONFIG_PATH: join(root, 'tsconfig.json'),
        RPC_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      },
    },
  )
  const spans: readonly (readonly [name: string, trace: string, span: string])[] = JSON.parse(
    stdout.trim().split('\n').at(-1) ?? '',
  )
  const sent = (name: string) => {
    const [, traceId, spanId] = spans.find(([found]) => found === `rpc ${name}`) ?? []
    return `00-${traceId}-${spanId}-01`
  }
  t.equal(spans.length, 3)
  t.same(seen, [sent('eth_chainId'), sent('eth_chainId'), sent('eth_blockNumber')])
})
