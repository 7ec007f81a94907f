import t from 'tap'
import { isLong, longTest } from '../support/runs.js'
import { startService } from '../support/service.js'
import { conform, conformKeys, fundedKey, isClean, slowBody } from './conform-harness.js'

/** The head moves here, and stands still in conform-reports. Faster blocks leave a slow machine no time to compare. */
const service = await startService({ args: ['--block-seconds', '6'] })
t.teardown(() => service.stop())
const keysOf = { test: await conformKeys(service, 'test'), main: await conformKeys(service, 'main') }

/** The short form runs all cases on the main network here, writes included, and the test network in conform-reports. */
const networks = ['test', 'main'] as const

for (const network of networks) {
  const keys = keysOf[network]

  longTest(`the ${network} network keeps its contract, asked without writing anything`, async (t) => {
    const { code, out, err, report } = await conform(t, keys, [])
    isClean(t, report)
    t.equal(code, 0, err)
    t.match(report, { target: { network, head: { number: /^0x/ } }, requests: { writes: 0, heldBack: 0 } })
    t.match(out, /^ {2}Mode {7}safe: read-only methods, no budget/m)
  })
}

for (const network of isLong ? networks : (['main'] as const)) {
  const keys = keysOf[network]

  t.test(`the ${network} network conforms with transactions`, async (t) => {
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

longTest('a body that does not come in time is refused', async (t) => {
  const { code, report } = await conform(t, keysOf.test, ['--only', slowBody])
  t.match(report.cases, [{ id: slowBody, verdict: 'pass' }])
  t.equal(code, 0)
})
