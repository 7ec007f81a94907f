import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import type { Report } from '../../../src/judge/index.js'
import { startConcordat } from '../../support/concordat-process.js'
import { runConcordat } from '../../support/service.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { until } from '../../support/until.js'

const program = fileURLToPath(new URL('../../support/plain-program.js', import.meta.url))

type Framing = 'newline' | 'content-length'

const text = { type: 'string' }
const param = (name: string, schema: object) => ({ name, required: true, schema })
const result = (schema: object) => ({ name: 'result', schema })
const toClient = { 'x-direction': 'serverToClient', paramStructure: 'by-name' }
const errors = [
  { code: -32602, message: 'Invalid params' },
  { code: -32601, message: 'Method not found' },
  { code: -32002, message: 'Not open' },
]

const contractOf = (framing: Framing, version = 1) => ({
  openrpc: '1.3.2',
  info: {
    title: 'Echo',
    version: '1.0.0',
    'x-session': { framing, open: [{ method: 'open', params: { version } }, { method: 'opened' }] },
  },
  methods: [
    {
      name: 'open',
      'x-effect': 'write',
      paramStructure: 'by-name',
      params: [param('version', { type: 'integer' })],
      result: result({ type: 'object', required: ['settings'], properties: { settings: { const: 'dark' } } }),
      errors,
    },
    { name: 'opened', 'x-effect': 'write', paramStructure: 'by-name', params: [] },
    {
      name: 'echo',
      'x-effect': 'read',
      paramStructure: 'by-name',
      params: [param('text', text)],
      result: result(text),
      errors,
    },
    {
      name: 'add',
      'x-effect': 'write',
      paramStructure: 'by-name',
      params: [],
      result: result({ type: 'integer' }),
      errors,
    },
    { name: 'quit', 'x-effect': 'write', paramStructure: 'by-name', params: [] },
    { name: 'log', params: [param('message', text)], ...toClient },
    {
      name: 'configuration',
      params: [param('item', text)],
      result: result(text),
      examples: [
        {
          name: 'dark',
          params: [{ name: 'item', value: 'a' }],
          result: { name: 'result', value: 'dark' },
        },
      ],
      ...toClient,
    },
  ],
})

const large = 'ä€😀'.repeat(20_000)

const cases = {
  'calls/echo.yaml': `scenario: A text is returned.
steps: [{ call: echo, params: { text: 'größer 😀' }, expect: { result: 'größer 😀' } }]`,
  'calls/large.yaml': `scenario: A large text is returned.
steps: [{ call: echo, params: { text: '${large}' }, expect: { result: '${large}' } }]`,
  'calls/verb.yaml':
    'scenario: A verb.\nsteps: [{ call: echo, params: { text: a }, verb: PUT, expect: { result: a } }]',
  'writes/one.yaml': `scenario: The count begins with 1.
effect: write
steps:
  - { call: add, params: {}, expect: { result: 1 } }
  - { call: add, params: {}, expect: { result: 2 } }`,
  'writes/two.yaml': `scenario: The count begins with 1 for each case that writes.
effect: write
steps: [{ call: add, params: {}, expect: { result: 1 } }]`,
  'writes/quit.yaml': `scenario: The program ends when it is told to.
effect: write
steps: [{ raw: '{"jsonrpc":"2.0","method":"quit"}', expect: { body: { $absent: true } } }]`,
}

/** Prepares the arguments of a run against the program. */
async function prepared(t: Test, framing: Framing, fault: string, contract: object = contractOf(framing)) {
  const folder = await temporaryFolder(t)
  const [document, pids, report] = ['openrpc.json', 'pids', 'report.json'].map((name) => join(folder, name))
  await writeFile(document ?? '', JSON.stringify(contract))
  for (const [name, content] of Object.entries(cases)) {
    await mkdir(join(folder, 'cases', name, '..'), { recursive: true })
    await writeFile(join(folder, 'cases', name), content)
  }
  const target = `stdio:exec ${process.execPath} ${program} ${framing} ${fault} ${pids}`
  const args = ['conform', target, '--contract', document ?? '', '--scenarios', join(folder, 'cases')]
  return {
    args: [...args, '--allow', 'write', '--timeout', '300', '--report', `json=${report}`],
    report: async () => JSON.parse(await readFile(report ?? '', 'utf8')) as Report,
    file: report ?? '',
    /** Returns the process ids that the program had. */
    pids: async () => (await readFile(pids ?? '', 'utf8')).trim().split('\n').map(Number),
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function conform(
  t: Test,
  framing: Framing,
  fault: string,
  more: readonly string[] = [],
  contract?: object,
) {
  const { args, report, pids, file } = await prepared(t, framing, fault, contract)
  const { code, out, err } = await runConcordat([...args, ...more])
  const started = await pids()
  for (const pid of started) await until(() => !isRunning(pid))
  const judged = code === 2 ? undefined : await report()
  const verdict = (id: string) => judged?.cases.find((one) => one.id === id)
  const verify = () => runConcordat(['verify', file, ...args.slice(2, 6)])
  return { code, out, err, started, verdict, verify, report: judged }
}

const failed = (report: Report | undefined) =>
  (report?.cases ?? [])
    .filter(({ verdict }) => ['fail', 'no-answer', 'inconclusive', 'harness-error'].includes(verdict))
    .map(({ id, reason }) => `${id}: ${reason}`)

t.test('a program is judged over its standard streams, in both framings and however it writes', async (t) => {
  // The framing concerns each message alike, so the whole suite runs once in each framing, and once byte by byte.
  const some = ['--only', 'calls/*', '--only', 'writes/*', '--only', 'derived/open/*']
  for (const [framing, fault, only] of [
    ['newline', 'none', some],
    ['newline', 'bytes', []],
    ['content-length', 'none', []],
    ['content-length', 'bytes', some],
  ] as const) {
    const { code, err, started, verdict, verify, report, out } = await conform(t, framing, fault, only)
    t.same([code, failed(report)], [0, []], `${framing} ${fault}: ${err}`)
    t.match(out, / {2}Target {5}stdio:exec \S+ \S+plain-program\.js /)
    t.match(verdict('calls/verb'), {
      verdict: 'not-applicable',
      reason: 'it tests HTTP (verb), and the target is a program',
    })
    const [opened] = (report?.cases ?? []).filter(({ id }) => id.startsWith('derived/open/'))
    t.match(opened, { verdict: 'not-applicable', reason: 'open opens the session (x-session)' })
    if (only.length > 0) continue
    t.match(verdict('invariants/session/open'), { verdict: 'pass', compared: started.length })
    t.match(verdict('invariants/session/configuration'), { verdict: 'pass', compared: started.length })
    t.match(verdict('invariants/session/log'), { verdict: 'pass' })
    t.match(await verify(), { code: 0, out: /0 changed|unchanged|as before/ })
  }
})

t.test('the command of a finding repeats the request', async (t) => {
  const repeated = async (framing: Framing) => {
    const { verdict } = await conform(t, framing, 'none', ['--only', 'calls/echo'])
    const line = verdict('calls/echo')?.evidence[0]?.curl ?? ''
    const env = { ...process.env, RPC_URL: `stdio:exec ${process.execPath} ${program} ${framing}` }
    const output = await new Promise<string>((resolve) => {
      execFile('sh', ['-c', line], { env }, (_, stdout) => resolve(stdout))
    })
    t.match(output, /"result":"größer 😀"/)
  }
  await Promise.all([repeated('newline'), repeated('content-length')])
})

t.test('calls of the server and the answers that open a session are judged', async (t) => {
  const log = await conform(t, 'newline', 'wrong-log', ['--only', 'calls/echo'])
  t.equal(log.code, 1)
  t.match(log.verdict('calls/echo'), { verdict: 'pass' })
  t.match(log.verdict('invariants/session/log'), {
    verdict: 'fail',
    reason: '/params/message: expected must be text, got 7',
  })
  const twice = await conform(t, 'newline', 'twice', ['--only', 'calls/*', '--only', 'json-rpc/id-*'])
  t.same(
    failed(twice.report).map((text) => text.replace(/got \d+.*/, 'got ID')),
    ['invariants/session: /id: expected the id of a request without an answer, got ID'],
    'a second answer is no answer to the next request',
  )
  const open = await conform(t, 'newline', 'wrong-open', ['--only', 'calls/echo'])
  t.match(open.verdict('invariants/session/open'), { verdict: 'fail', reason: /settings/ })
})

t.test('a program that ends or writes something else fails the case', async (t) => {
  const crash = await conform(t, 'content-length', 'crash', ['--only', 'calls/echo', '--only', 'writes/two'])
  t.equal(crash.code, 2)
  t.match(crash.err, /The program ended \(exit code 4\)\. Its standard error: out of ideas/)
  const only = ['--only', 'calls/*', '--only', 'json-rpc/unknown-method']
  const leaves = await conform(t, 'newline', 'leaves', only)
  t.equal(leaves.code, 1)
  t.match(leaves.out, /The program ended \(exit code 0\)/)
  const noise = await conform(t, 'newline', 'noise', [
    '--only',
    'json-rpc/unknown-method',
    '--only',
    'calls/echo',
  ])
  const words = /wrote to its standard output a line that is not a JSON-RPC message: "debug: echo"/
  t.match(`${noise.out}${noise.err}`, words)
  t.not(noise.code, 0)
  const quit = await conform(t, 'newline', 'wrong-quit', ['--only', 'writes/*'])
  t.match(quit.verdict('writes/quit'), { verdict: 'fail', reason: /The program ended \(exit code 5\)/ })
})

t.test('without a usable program no run takes place', async (t) => {
  const run = async (
    [framing, fault, more = [], contract]: readonly [Framing, string, (readonly string[])?, object?],
    message: RegExp,
  ) => {
    const { code, err, out } = await conform(t, framing, fault, ['--only', 'calls/*', ...more], contract)
    t.same([code, out], [2, ''], fault)
    t.match(err, message)
  }
  const { args } = await prepared(t, 'newline', 'none')
  await Promise.all([
    run(['newline', 'broken'], /ended \(exit code 3\).* Its standard error: cannot read its configuration/),
    run(['newline', 'greeting'], /a line that is not a JSON-RPC message: "Server started"/),
    run(['content-length', 'greeting'], /text before the header Content-Length.*"Server started/),
    run(
      ['newline', 'none', ['--timeout', '8'], contractOf('content-length')],
      /Messages are sent and read with Content-Length headers \(x-session: framing content-length\)/,
    ),
    run(['newline', 'silent', ['--timeout', '8']], /did not answer within 8 s\. It wrote no message/),
    run(['newline', 'none', [], contractOf('newline', 2)], /open gave no result.*-32602/),
  ])
  const missing = await runConcordat(['conform', 'stdio:no-such-program-here', ...args.slice(2)])
  t.match(missing, { code: 2, err: /ended \(exit code 127\).* Its standard error: .*no-such-program-here/ })
  t.match(await runConcordat(['conform', 'stdio: ']), { code: 2, err: /After stdio: comes a command/ })
})

t.test('Ctrl-C ends the program, even one that ignores signals', async (t) => {
  const { args, pids } = await prepared(t, 'newline', 'deaf')
  const run = startConcordat(args)
  t.teardown(() => run.stop())
  const [pid = 0] = await Promise.race([until(() => pids().catch(() => undefined)), run.ended.then(() => [])])
  run.child.kill('SIGINT')
  t.equal(await run.ended, 2)
  await until(() => !isRunning(pid))
})
