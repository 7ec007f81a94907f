import t from 'tap'
import { type NodeServer, startNodeServer } from '../support/node-server.js'
import { until } from '../support/until.js'
import { balance, upstreamOf } from '../support/upstream-of.js'

/** Counts the checks of a node. */
function countChecks(node: NodeServer) {
  const checks = { count: 0 }
  const { fault } = node
  node.fault = (request, response) => {
    if (request.calls.some(({ method }) => method === 'eth_chainId')) checks.count++
    return fault?.(request, response) === true
  }
  return checks
}

/** Repeats an action until a node was checked five times; returns the allowed number of checks. */
async function whileChecked(checks: { count: number }, act: () => Promise<unknown>) {
  const startedAt = performance.now()
  const before = checks.count
  await until(async () => {
    await act()
    return checks.count >= before + 5
  })
  return { checks: checks.count - before, most: 1 + Math.ceil((performance.now() - startedAt) / 1000) }
}

t.test('a node that returns on another network is checked once a second at most', async (t) => {
  const node = await startNodeServer({ fault: (_, response) => response.destroy() !== undefined })
  const upstream = upstreamOf(t, [node], { settings: {} })
  await until(() => upstream.status()[0]?.state === 'unreachable')
  node.fault = undefined
  node.chainId = '0x1e'
  const checks = countChecks(node)
  await until(() => upstream.status()[0]?.state === 'wrong-network')
  const { checks: counted, most } = await whileChecked(checks, async () => undefined)
  t.ok(counted <= most, `${counted} checks, at most ${most} are allowed`)
})

t.test('failing calls and readiness requests cause no further checks', async (t) => {
  const node = await startNodeServer({ head: 100 })
  const other = await startNodeServer({ head: 90 })
  const upstream = upstreamOf(t, [node, other], { settings: {} })
  await until(() => upstream.status().every(({ head }) => head !== undefined))
  await node.close()
  const checks = countChecks(other)
  const act = async () => {
    balance(upstream, 1).catch(() => undefined)
    await upstream.ready()
  }
  const { checks: counted, most } = await whileChecked(checks, act)
  t.ok(counted <= most, `${counted} checks, at most ${most} are allowed`)
})
