import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { faults } from '../../conformance/faults/index.js'
import { addressOf } from '../../src/chain-functions/accounts.js'
import { signTransaction } from '../../src/chain-functions/sign-transaction.js'
import type { Report } from '../../src/conformance/index.js'
import { startFaultingProxy } from '../../src/conformance/selftest/faulting-proxy.js'
import type { JsonValue } from '../../src/rpc/index.js'
import { awayFromMidnight } from '../support/midnight.js'
import { cleanEnvironment, runConcordat, startService, uncounted } from '../support/service.js'
import { startDeployment } from '../unit/conformance/run/deployment.js'
import { conform, conformKeys, fundedKey, isClean } from './conform-harness.js'

const service = await startService({ env: { CONCORDAT_LIMIT_REQUESTS_PER_DAY: '400' } })
t.teardown(() => service.stop())

t.test('a low daily limit is tested to its end', async (t) => {
  await awayFromMidnight()
  const only = ['--only', 'quota/*', '--only', 'keys/*', '--allow', 'spends-quota']
  const { code, err, report } = await conform(t, await conformKeys(service, 'test'), only)
  isClean(t, report)
  t.equal(code, 0, err)
  const spending = report.cases.filter(({ effect }) => effect === 'spends-quota')
  t.ok(spending.length > 0)
  t.same(
    spending.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'tolerated'),
    [],
  )
})

t.test('a service that breaks a rule exits with 1 and an explanation', async (t) => {
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
  t.match(out, /✗ logs\.block-hash-excludes-range\n {4}cases {5}3 cases with this cause: /)
  t.match(out, /rule {6}logs\.block-hash-excludes-range \(section 4\.1 rule 1, #\/info\/x-rules\/\d+\)/)
  t.match(out, 'A filter with both is refused with -32602.')
  t.match(out, /expected {2}\/error {2}error with code -32602\n {4}got {7}result /)
  t.match(out, /head {6}2 \d{3} → 2 \d{3}/)
  t.match(out, `"method":"${method}"`)
  t.match(out, `--replay ${id}`)
  const failed = report.cases.find(({ verdict }) => verdict === 'fail')
  const replayed = await runConcordat(['conform', own, '--replay', failed?.id ?? ''])
  t.equal(replayed.code, 1, 'the replayed case fails as well')
  t.match(replayed.out, /^ {2}1 failed /m)
})

const spending = [
  'call/members-reach-the-node',
  'call/revert-with-reason',
  'logs-filter/own-log',
  'receipts/failed-transaction',
  'send-raw/reads-follow',
  'send-raw/same-bytes-again',
  'send-raw/transfer',
  'send-raw/zero-hash',
  'state/own-contract',
  'transactions/creation',
  'transactions/pending',
]

t.test('a second run that spends from the same account makes the spending cases inconclusive', async (t) => {
  // The other run uses each nonce first: after the count was answered, and before the transaction is sent.
  const { url } = service.networks.test
  const call = async (method: string, ...params: JsonValue[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    return ((await response.json()) as { readonly result: JsonValue }).result
  }
  const sendFirst = async () => {
    const from = addressOf([fundedKey])
    const transaction = {
      privateKey: fundedKey,
      chainId: '0x1f',
      nonce: await call('eth_getTransactionCount', from, 'pending'),
      gasPrice: await call('eth_gasPrice'),
      gas: '0x5208',
      to: from,
      value: '0x1',
    }
    const { raw } = signTransaction([transaction]) as { readonly raw: string }
    await call('eth_sendRawTransaction', raw)
  }
  const between = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    if (body.includes('eth_gasPrice')) await sendFirst()
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve))
  t.teardown(() => between.close())
  const own = url.replace(service.origin, `http://127.0.0.1:${(between.address() as AddressInfo).port}`)
  const only = spending.flatMap((id) => ['--only', id])
  const { code, err, report } = await conform(
    t,
    { own, second: own, revoked: own },
    [...only, '--allow', 'write', '--require-complete'],
    { CONCORDAT_CONFORM_FUNDED_KEY: fundedKey },
  )
  t.same(
    report.cases.map(({ id, verdict }) => `${id} ${verdict}`),
    spending.map((id) => `${id} inconclusive`),
  )
  t.match(report.cases[0]?.reason, /Something else sends from the account\.$/)
  t.equal(code, 3, err)
})

t.test('no case fails in two concurrent runs that spend from one account', async (t) => {
  const { url } = service.networks.test
  const only = ['--only', 'send-raw/*', '--only', 'state/own-contract', '--allow', 'write']
  const keys = { own: url, second: url, revoked: url }
  const env = { CONCORDAT_CONFORM_FUNDED_KEY: fundedKey }
  const runs = await Promise.all([conform(t, keys, only, env), conform(t, keys, only, env)])
  for (const { code, err, report } of runs) {
    const failed = report.cases.filter(({ verdict }) => verdict === 'fail')
    t.same(
      failed.map(({ id, reason }) => `${id}: ${reason}`),
      [],
    )
    t.equal(code, 0, err)
  }
})

t.test('an unreachable host means no run: exit code 2', async (t) => {
  const { code, out, err } = await runConcordat(['conform', service.networks.test.url.replace(/:\d+/, ':1')])
  t.equal(code, 2)
  t.equal(out, '')
  t.match(err, /^concordat conform: cannot reach http:\/\/127\.0\.0\.1:1\/•••••-T: /)
})

t.test('Ctrl-C ends a run with the report of the finished cases', async (t) => {
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
    // The run requests a block, which is answered here.
    '--only',
    '!identity/gas-price',
    '--report',
    'json=-',
  ]
  const child = spawn(process.execPath, args, {
    env: cleanEnvironment(uncounted),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    texts.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.err += text
  })
  await isAsked
  // npx forwards the terminal's signal to the whole group, so the process receives it twice.
  child.kill('SIGINT')
  child.kill('SIGINT')
  const [code] = await once(child, 'close')
  t.equal(code, 2)
  t.match(texts.err, 'stopped; the remaining cases are reported as not run')
  const { counts, cases } = JSON.parse(texts.out) as Report
  t.equal(counts['not-run'] + counts['not-applicable'], cases.length)
})
