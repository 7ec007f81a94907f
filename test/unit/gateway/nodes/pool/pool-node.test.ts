import t from 'tap'
import { Circuit } from '../../../../../src/gateway/nodes/pool/pool-node.js'

const settings = { failureWindowMs: 1000, failures: 3, failureShare: 0.5, openMs: 100, openMaximumMs: 250 }

t.test(
  'the circuit opens after many failures in the window that are a large share of the calls',
  async (t) => {
    const rows: readonly [why: string, ends: string, isOpen: boolean][] = [
      ['too few', 'ff', false],
      ['consecutive failures', 'fff', true],
      ['half of the calls', 'fsfsf', true],
      ['less than half', 'fssssfsf', false],
      ['calls before the first failure do not count', 'ssssssssfff', true],
    ]
    for (const [why, ends, isOpen] of rows) {
      const circuit = new Circuit(settings)
      for (const end of ends) end === 'f' ? circuit.failed(0) : circuit.succeeded()
      t.equal(circuit.isOpen, isOpen, why)
    }
    const slow = new Circuit(settings)
    t.strictSame(
      [0, 900, 1800, 2700, 3600].map((now) => slow.failed(now)),
      [false, false, false, false, false],
      'failures outside the window do not open it',
    )
  },
)

t.test(
  'the circuit reports once that it opened, and stays open twice as long after each failed trial',
  async (t) => {
    const circuit = new Circuit(settings)
    t.strictSame(
      [0, 0, 0, 0].map((now) => circuit.failed(now)),
      [false, false, true, false],
    )
    t.equal(circuit.trialAt, 100)
    const trials: number[] = []
    for (const now of [100, 300, 600]) {
      circuit.open(now)
      trials.push(circuit.trialAt - now)
    }
    t.strictSame(trials, [200, 250, 250])
    circuit.close(1000)
    t.equal(circuit.isOpen, false)
    t.strictSame(
      [1000, 1001, 1002].map((now) => circuit.failed(now)),
      [false, false, true],
      'the count is reset',
    )
    t.equal(circuit.trialAt, 1102, 'the delay is reset')
  },
)
