import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import type { Report } from '../../src/conformance/run/report.js'
import { startFaultingProxy } from '../../src/conformance/selftest/faulting-proxy.js'
import { faults } from '../../src/conformance/selftest/faults/index.js'
import { developmentAccounts } from '../../src/gateway/chain/seed-facts.js'
import { cleanEnvironment, type RunningService, runConcordat, startService } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { startDeployment } from '../unit/conformance/run/deployment.js'

/** An account with funds that nothing else uses. */
const fundedKey = developmentAccounts[9].privateKey

const service = await startService()
t.teardown(() => service.stop())

interface Keys {
  readonly own: string
  readonly second: string
  readonly revoked: string
}

/** Three keys of a new user, the third of them deleted. */
async function threeKeys(of: RunningService, network: string): Promise<Keys> {
  const create = async (name: string) => {
    const who = [
      '--user',
      `qa-${network}@example.com`,
      '--network',
      network,
      '--name',
      name,
      '--data',
      of.data,
    ]
    const { code, out, err } = await runConcordat(['keys', 'create', ...who, '--json'])
    if (code !== 0) throw new TypeError(err)
    return JSON.parse(out) as { readonly id: string; readonly url: string }
  }
  const own = await create('own')
  const second = await create('second')
  const revoked = await create('revoked')
  await runConcordat(['keys', 'delete', revoked.id, '--data', of.data])
  return { own: own.url, second: second.url, revoked: revoked.url }
}

/** Runs the suite as a user does; nothing that it wrote may tell a key. */
async function conform(
  t: Test,
  keys: Keys,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const folder = await temporaryFolder(t)
  const [report, profile] = [join(folder, 'report.json'), join(folder, 'profile.json')]
  const { own, second, revoked } = keys
  const suite = ['conform', own, '--second-key', second, '--revoked-key', revoked]
  const files = ['--report', `json=${report}`, '--profile', profile]
  const { code, out, err } = await runConcordat([...suite, ...files, ...args], env)
  const json = await readFile(report, 'utf8')
  const written = [out, err, json, await readFile(profile, 'utf8').catch(() => '')].join('\n')
  for (const url of Object.values(keys)) t.notMatch(written, new URL(url).pathname.slice(1), 'no key is told')
  t.notMatch(written, fundedKey.slice(2), 'nor is the private key')
  return { code, out, err, report: JSON.parse(json) as Report }
}

const bad = ['fail', 'stale', 'harness-error', 'inconclusive'] as const

/** Says which cases are not as they must be, with the reason. */
function isClean(t: Test, { cases }: Report) {
  const found = cases.filter(({ verdict }) => bad.some((name) => name === verdict))
  t.same(
    found.map(({ id, verdict, reason }) => `${verdict} ${id}: ${reason}`),
    [],
  )
}

const keysOf = { test: await threeKeys(service, 'test'), main: await threeKeys(service, 'main') }

for (const network of ['test', 'main'] as const) {
  const keys = keysOf[network]

  t.test(`the ${network} network keeps its contract, asked without writing anything`, async (t) => {
    const { code, out, err, report } = await conform(t, keys, [])
    isClean(t, report)
    t.equal(code, 0, err)
    t.match(report, { target: { network, head: { number: /^0x/ } }, requests: { writes: 0, heldBack: 0 } })
    t.match(out, /^ {2}Mode {7}safe: read-only methods, no budget/m)
  })

  t.test(`the ${network} network keeps its contract, transactions included`, async (t) => {
    const env = { CONCORDAT_CONFORM_FUNDED_KEY: fundedKey }
    const { code, err, report } = await conform(t, keys, ['--allow', 'write'], env)
    isClean(t, report)
    t.equal(code, 0, err)
    t.ok(report.requests.writes > 0)
    const waiting = report.cases.filter(
      ({ verdict, effect }) => verdict === 'not-run' && effect !== 'spends-quota',
    )
    t.same(
      waiting.map(({ id, reason }) => `${id}: ${reason}`),
      [],
    )
  })
}

t.test('a daily limit is tried to its end where it is low enough', async (t) => {
  const limited = await startService({ env: { CONCORDAT_LIMIT_REQUESTS_PER_DAY: '400' } })
  t.teardown(() => limited.stop())
  const only = ['--only', 'quota/*', '--only', 'keys/*', '--allow', 'spends-quota']
  const { code, err, report } = await conform(t, await threeKeys(limited, 'test'), only)
  isClean(t, report)
  t.equal(code, 0, err)
  const spending = report.cases.filter(({ effect }) => effect === 'spends-quota')
  t.ok(spending.length > 0)
  t.same(
    spending.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'tolerated'),
    [],
  )
})

t.test('a service that breaks a rule: exit 1, and what a stranger needs to understand it', async (t) => {
  const proxy = await startFaultingProxy({
    target: service.origin,
    fault: faults.find(({ name }) => name === 'block-hash-beside-range-accepted'),
  })
  t.teardown(() => proxy.close())
  const own = service.networks.test.url.replace(service.origin, proxy.origin)
  const keys = { own, second: own, revoked: own }
  const { code, out, report } = await conform(t, keys, ['--only', 'logs-filter/*'])
  t.equal(code, 1)
  t.ok(report.counts.fail > 0)
  const { method, id } = { method: 'eth_getLogs', id: 'logs-filter/block-hash-excludes-' }
  t.match(out, `✗ ${id}`)
  t.match(out, /rule {6}logs\.block-hash-excludes-range \(section 4\.1 rule 1, #\/info\/x-rules\/\d+\)/)
  t.match(out, 'both are refused with -32602.')
  t.match(out, /expected {2}\/error {2}error with code -32602\n {4}got {7}result /)
  t.match(out, /head {6}2 \d{3} → 2 \d{3}/)
  t.match(out, `"method":"${method}"`)
  t.match(out, `--replay ${id}`)
  const failed = report.cases.find(({ verdict }) => verdict === 'fail')
  const replayed = await runConcordat(['conform', own, '--replay', failed?.id ?? ''])
  t.equal(replayed.code, 1, 'the case alone is red as well')
  t.match(replayed.out, /^ {2}1 failed /m)
})

t.test('a host that is not there is no run: exit 2', async (t) => {
  const { code, out, err } = await runConcordat(['conform', service.networks.test.url.replace(/:\d+/, ':1')])
  t.equal(code, 2)
  t.equal(out, '')
  t.match(err, /^concordat conform: cannot reach http:\/\/127\.0\.0\.1:1\/•••••-T: /)
})

t.test('Ctrl-C ends a run with the report of what ran', async (t) => {
  let tell: () => void = () => {}
  const isAsked = new Promise<void>((resolve) => {
    tell = resolve
  })
  const silent = await startDeployment(t, ({ method }) => {
    if (method === 'eth_getBlockByNumber') return { result: { number: '0x1', hash: '0x2' } }
    tell()
    return 'silence'
  })
  const launcher = fileURLToPath(new URL('../../bin/concordat.js', import.meta.url))
  const args = [
    launcher,
    'conform',
    `${silent.origin}/${'x'.repeat(30)}-T`,
    '--only',
    'identity/*',
    '--report',
    'json=-',
  ]
  const child = spawn(process.execPath, args, { env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] })
  const texts = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    texts.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.err += text
  })
  await isAsked
  // npx passes on what the terminal sends to the whole group: twice is once.
  child.kill('SIGINT')
  child.kill('SIGINT')
  const [code] = await once(child, 'close')
  t.equal(code, 2)
  t.match(texts.err, 'stopped; what had not run yet is reported as not run')
  const { counts, cases } = JSON.parse(texts.out) as Report
  t.equal(counts['not-run'] + counts['not-applicable'], cases.length)
})
