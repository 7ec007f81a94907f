import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import type { CaseResult, Report } from '../../src/conformance/index.js'
import { findAnvil } from '../../src/gateway/dev-chain/anvil-binary.js'
import { startAnvil } from '../../src/gateway/dev-chain/anvil-process.js'
import { startEmbeddedChain } from '../../src/gateway/dev-chain/embedded-chain.js'
import { startGanache } from '../support/ganache-node.js'
import { startHardhatNode } from '../support/hardhat-node.js'
import { chosen } from '../support/runs.js'
import { ganacheCalls, hardhatCalls, seedNode } from '../support/seed-node.js'
import { runConcordat } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const known = (name: string) =>
  fileURLToPath(new URL(`../../conformance/known/${name}.yaml`, import.meta.url))

/** A node that is no service, and what is asked of it beside all that reads. */
interface KnownNode {
  readonly start: () => Promise<{ readonly url: string; readonly stop: () => Promise<unknown> }>
  readonly args: readonly string[]
}

// A batch with an item that is null ends ganache and Hardhat's node, and they look long for the estimate of a loop
// without end. None of the nodes has a time limit for a body that does not come.
const patient = ['--only', '!batch/all-items-wrong', '--only', '!http/slow-body', '--timeout', '300']

const nodes: Readonly<Record<string, KnownNode>> = {
  // One case waits for an answer that never comes, for as long as an answer may take.
  anvil: { start: () => startEmbeddedChain({ chainId: '0x1f' }), args: ['--timeout', '10'] },
  ganache: {
    start: async () => {
      const node = await startGanache(31)
      await seedNode(node.url, ganacheCalls)
      return node
    },
    args: patient,
  },
  hardhat: {
    start: async () => {
      const node = await startHardhatNode(31)
      await seedNode(node.url, hardhatCalls)
      return node
    },
    args: patient,
  },
}

for (const [name, { start, args }] of chosen(nodes, { ganache: 'anvil', hardhat: 'anvil' })) {
  t.test(`${name} is no service: it fails where it differs from the contract, and only there`, async (t) => {
    const node = await start()
    t.teardown(() => node.stop())
    const conform = (...more: readonly string[]) =>
      runConcordat(['conform', node.url, '--network', 'test', ...args, ...more])
    const { out, err, code } = await conform('--known', known(name))
    const failed = [...out.matchAll(/^ {2}✗ (.+)$/gm)].map(([, id]) => id)
    t.same(failed, [], `every difference is listed: ${out}`)
    t.equal(code, 0, 'and nothing is listed that is none')
    t.match(out, /\d+ known to fail/)
    t.ok(Number(/(\d+) passed.*requests/.exec(out)?.[1]) >= 100, 'the rest is as the contract says')
    t.match(err, /^(concordat conform: \d+ of \d+ cases after [^\n]+\n?)*$/, 'nothing but progress')
    if (name !== 'anvil') return
    const red = await conform('--only', 'null-lookups/*', '--only', 'logs-limits/*')
    t.equal(red.code, 1, 'a difference that nobody knows of fails the run')
    t.match(red.out, /✗ uncle\.count-null\n.*null-lookups\/uncle-count-by-hash/)
    t.match(red.out, '✗ logs-limits/over-limit-error')
    t.match(red.out, 'error -32001 "Resource not found"', 'it is told what came')
  })
}

t.test(
  'a node without a block, with the rules of Prague: every case is judged or does not apply',
  async (t) => {
    const node = await startAnvil(findAnvil(), [
      '--chain-id',
      '31',
      '--hardfork',
      'prague',
      '--base-fee',
      '0',
    ])
    t.teardown(() => node.stop())
    const file = join(await temporaryFolder(t), 'report.json')
    const args = ['--network', 'test', '--timeout', '10', '--report', `json=${file}`]
    await runConcordat(['conform', node.url, ...args, '--known', known('anvil')])
    const { cases } = JSON.parse(await readFile(file, 'utf8')) as Report
    const those = (verdict: CaseResult['verdict']) =>
      cases.filter((one) => one.verdict === verdict).map(({ id }) => id)
    t.same(those('harness-error'), [])
    // The data of a transaction costs more there: that is a difference from the contract.
    t.same(
      those('fail').filter((id) => id.startsWith('estimate-gas/')),
      ['estimate-gas/known-answer'],
    )
    const below = cases.filter(({ reason }) => /falls below zero$/.test(reason ?? ''))
    t.ok(below.length > 0 && below.every(({ verdict }) => verdict === 'not-applicable'))
    t.ok(those('pass').includes('estimate-gas/simulates-whole'))
  },
)
