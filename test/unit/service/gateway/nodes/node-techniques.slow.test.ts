import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { estimateGas } from '../../../../../src/service/gateway/methods/eth-estimate-gas.js'
import {
  type NodeServer,
  type NodeServerCall,
  sendAnswers,
  startNodeServer,
} from '../../../../support/node-server.js'
import { address, unchecked, upstreamOf } from '../../../../support/upstream-of.js'

const noFunds = { error: { code: -32000, message: 'insufficient funds for gas * price + value' } }
const tooMany = { error: { code: -32602, message: 'too many arguments, want at most 2' } }

/** Starts a node that estimates for senders without balance only with a state override, or only without price. */
async function startEstimating(takesOverride: boolean): Promise<NodeServer> {
  const estimate = ({ params: [call, , override] }: NodeServerCall) => {
    if (override !== undefined) return takesOverride ? { result: '0x5208' } : tooMany
    return typeof call === 'object' && call !== null && 'gasPrice' in call ? noFunds : { result: '0x5209' }
  }
  return startNodeServer({
    fault(request, response) {
      if (request.calls[0]?.method !== 'eth_estimateGas') return false
      sendAnswers(request, response, estimate)
      return true
    },
  })
}

const overrides = ({ requests }: NodeServer) =>
  requests.flatMap(({ calls }) => calls).filter(({ params }) => params.length === 3).length

const poor = { from: address(7), to: address(8), gasPrice: '0x5' }

t.test('a node that refuses a state override gets none again, and other nodes still do', async (t) => {
  const strict = await startEstimating(false)
  const lenient = await startEstimating(true)
  const nodes = [strict.settings(), lenient.settings({ weight: 0 })]
  const upstream = upstreamOf(t, [strict, lenient], { nodes, settings: unchecked })
  await upstream.ready()
  for (let time = 0; time < 5; time++)
    t.equal(await estimateGas(upstream.call, poor, 'latest', limits), '0x5208')
  t.equal(overrides(strict), 1)
  t.equal(overrides(lenient), 5)
  t.equal(upstream.status()[0]?.failures, 0)
})

t.test('without a node for state overrides, the other ways are tried', async (t) => {
  const strict = await startEstimating(false)
  const upstream = upstreamOf(t, [strict], { settings: unchecked })
  await upstream.ready()
  for (let time = 0; time < 5; time++)
    t.equal(await estimateGas(upstream.call, poor, 'latest', limits), '0x5209')
  t.equal(overrides(strict), 1)
})
