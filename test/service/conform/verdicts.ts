import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Wallet } from 'ethers'
import t, { type Test } from 'tap'
import type { Report } from '../../../src/judge/index.js'
import { awayFromMidnight } from '../../support/midnight.js'
import { call, cleanEnvironment, runConcordat, startService } from '../../support/service.js'
import { startDeployment } from '../../unit/judge/run/deployment.js'
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

/** Starts a proxy that changes the bodies of requests; returns the URL through it. */
async function changing(t: Test, url: string, change: (body: string) => Promise<string>): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = await change(await text(request))
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', headers, body })
    response.writeHead(answer.status, headers).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return url.replace(service.origin, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

t.test('a service that breaks a rule exits with 1 and an explanation', async (t) => {
  const own = await changing(t, service.networks.test.url, async (text) => {
    const body = JSON.parse(text)
    // The fault: the range beside a block hash is ignored.
    const { blockHash, fromBlock, toBlock, ...filter } = body.params?.[0] ?? {}
    return blockHash === undefined ? text : JSON.stringify({ ...body, params: [{ ...filter, blockHash }] })
  })
  const keys = { own, second: own, revoked: own }
  const { code, out, report } = await conform(t, keys, ['--only', 'logs-filter/*'])
  t.equal(code, 1)
  t.ok(report.counts.fail > 0)
  const { method, id } = { method: 'eth_getLogs', id: 'logs-filter/block-hash-excludes-' }
  t.match(out, /✗ logs\.block-hash-excludes-range\n {4}cases {5}3 cases with this cause: /)
  t.match(out, /rule {6}logs\.block-hash-excludes-range \(section 4\.1 rule 1, #\/info\/x-rules\/\d+\)/)
  t.match(out, 'A filter with both is refused with -32602.')
  t.match(out, /expected {2}\/error {2}error with code -32602\n {4}got {7}result /)
  t.match(out, /head {6}2,\d{3} → 2,\d{3}/)
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
  const wallet = new Wallet(fundedKey)
  const sendFirst = async () => {
    const transaction = {
      type: 0,
      chainId: 31,
      nonce: Number(await call(url, 'eth_getTransactionCount', wallet.address, 'pending')),
      gasPrice: await call(url, 'eth_gasPrice'),
      gasLimit: 21_000,
      to: wallet.address,
      value: 1,
    }
    await call(url, 'eth_sendRawTransaction', await wallet.signTransaction(transaction))
  }
  const own = await changing(t, url, async (body) => {
    if (body.includes('eth_gasPrice')) await sendFirst()
    return body
  })
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
  t.equal(code, 2, err)
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
    if (method === 'eth_getBlockByNumber') return { result: null }
    tell()
    return 'silence'
  })
  const launcher = fileURLToPath(new URL('../../../bin/concordat.js', import.meta.url))
  const args = [
    launcher,
    'conform',
    `${silent.origin}/${'x'.repeat(30)}-T`,
    '--only',
    'identity/*',
    // The run requests the head, which is answered here.
    '--only',
    '!identity/gas-price',
    '--report',
    'json=-',
  ]
  const child = spawn(process.execPath, args, {
    env: cleanEnvironment(),
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
