import { Wallet } from 'ethers'
import t, { type Test } from 'tap'
import { conformDefaults } from '../../../src/cli/conform/conform-options.js'
import { developmentAccounts } from '../../support/development-chain.js'
import { isLong, longTest } from '../../support/runs.js'
import { call, type ServedNetwork, startService } from '../../support/service.js'
import { until } from '../../support/until.js'
import { conform, conformKeys, fundedKey, isClean, slowBody } from './conform-harness.js'

/** The head moves here, and stands still in reports.test.ts. */
const service = await startService({ env: { CONCORDAT_METRICS_PORT: '0' } })
t.teardown(() => service.stop())

/**
 * Requests between two blocks. Cases that compare answers send fewer, and are tried three times: however slow the
 * machine is, at most one of two attempts meets a new head.
 */
const requestsPerBlock = 150
/** An account without other uses. */
const wallet = new Wallet(developmentAccounts[8].privateKey)

/** The number of requests that the service has answered. */
async function answered(): Promise<number> {
  // The service could close a kept connection at the moment of the next request.
  const text = await (await fetch(service.metrics ?? '', { headers: { connection: 'close' } })).text()
  const counts = text.matchAll(/^concordat_requests_total\{.*\} (\d+)$/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

/** Sends a transaction, which mines a block on the embedded chain. */
async function moveHead({ url, chainId }: ServedNetwork): Promise<void> {
  const transaction = {
    type: 0,
    chainId: Number(chainId),
    nonce: Number(await call(url, 'eth_getTransactionCount', wallet.address, 'pending')),
    gasPrice: await call(url, 'eth_gasPrice'),
    gasLimit: 21_000,
    to: wallet.address,
  }
  await call(url, 'eth_sendRawTransaction', await wallet.signTransaction(transaction))
}

type Run = readonly [args: readonly string[], env?: Readonly<Record<string, string>>]

/** Runs the suite while the head of the network moves. */
async function conformToMovingHead(t: Test, network: 'test' | 'main', ...run: Run) {
  let isOver = false
  const running = conform(t, keysOf[network], ...run).finally(() => {
    isOver = true
  })
  let moves = 0
  for (let next = (await answered()) + requestsPerBlock; ; next += requestsPerBlock) {
    await until(async () => isOver || (await answered()) >= next)
    if (isOver) break
    await moveHead(service.networks[network])
    moves += 1
  }
  t.ok(moves > 3, `the head moved ${moves} times`)
  return running
}

const keysOf = { test: await conformKeys(service, 'test'), main: await conformKeys(service, 'main') }

/** The short form runs all cases on the main network here, writes included, and the test network in reports.test.ts. */
const networks = ['test', 'main'] as const

for (const network of networks) {
  longTest(`the ${network} network keeps its contract, asked without writing anything`, async (t) => {
    const { code, out, err, report } = await conformToMovingHead(t, network, [])
    isClean(t, report)
    t.equal(code, 0, err)
    t.match(report, { target: { network, head: { number: /^0x/ } }, requests: { writes: 0, heldBack: 0 } })
    const { billed } = report.requests
    t.ok(billed <= conformDefaults.budget, `${billed} requests are within the budget for other hosts`)
    t.match(out, /^ {2}Mode {7}safe: read-only methods, no budget/m)
  })
}

for (const network of isLong ? networks : (['main'] as const)) {
  t.test(`the ${network} network conforms with transactions`, async (t) => {
    const env = { CONCORDAT_CONFORM_FUNDED_KEY: fundedKey }
    const { code, err, report } = await conformToMovingHead(t, network, ['--allow', 'write'], env)
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

longTest('a body that does not come in time is refused', async (t) => {
  const { code, report } = await conform(t, keysOf.test, ['--only', slowBody])
  t.match(report.cases, [{ id: slowBody, verdict: 'pass' }])
  t.equal(code, 0)
})
