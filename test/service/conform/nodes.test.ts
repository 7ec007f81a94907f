import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import type { CaseResult, Report } from '../../../src/judge/index.js'
import { startBareAnvil, startEmbeddedChain } from '../../support/anvil-node.js'
import { startGanache } from '../../support/ganache-node.js'
import { startHardhatNode } from '../../support/hardhat-node.js'
import { startRskjNode } from '../../support/rskj-node.js'
import { chosen, isLong } from '../../support/runs.js'
import { ganacheCalls, hardhatCalls, seedNode } from '../../support/seed-node.js'
import { runConcordat, startService } from '../../support/service.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

const ownContract = new URL('../../../openrpc.json', import.meta.url)
const known = (name: string) =>
  fileURLToPath(new URL(`../../../conformance/known/${name}.yaml`, import.meta.url))

/** The options for generated calls of a contract without a method, and for the differences that they can show. */
async function exploringWithout(method: string, name: string, t: Test): Promise<readonly string[]> {
  const folder = await temporaryFolder(t)
  const [contract, differences] = [join(folder, 'contract.json'), join(folder, 'known.yaml')]
  const document = JSON.parse(await readFile(ownContract, 'utf8'))
  const methods = document.methods.filter((each: { readonly name: string }) => each.name !== method)
  await writeFile(contract, JSON.stringify({ ...document, methods }))
  const listed = parse(await readFile(known(name), 'utf8')) as readonly { readonly case: string | string[] }[]
  const explored = listed.filter(({ case: id }) => typeof id === 'string' && id.startsWith('explored/'))
  await writeFile(differences, stringify(explored))
  return ['--contract', contract, '--known', differences]
}

/** A bare node, and the additional requests that it can answer. */
interface KnownNode {
  readonly start: () => Promise<{ readonly url: string; readonly stop: () => Promise<unknown> }>
  readonly args: readonly string[]
  /** A method that generated calls leave out, also as a step before another call. */
  readonly without?: string
  /** False for an imitation of a node, which imitates its habits for the cases only. */
  readonly isExplored?: boolean
}

/** Seeds of the generated calls. */
const seeds = isLong ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] : [1]

/**
 * Timeout of runs in which http/slow-body waits for a missing answer: shorter than the 40 seconds after which that case
 * completes its body.
 */
const soon = ['--timeout', '30']

// A batch with a null item crashes ganache and Hardhat's node, and endless loops block their estimates. No node has a
// timeout for bodies.
const patient = ['--only', '!batch/all-items-wrong', '--only', '!http/slow-body', '--timeout', '300']

const nodes: Readonly<Record<string, KnownNode>> = {
  anvil: { start: () => startEmbeddedChain({ chainId: '0x1f' }), args: soon },
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
    // It counts from fromBlock to toBlock, however large it is, and answers nothing else meanwhile.
    without: 'eth_getLogs',
  },
  rskj: {
    start: async () => {
      const chain = await startService({ env: { CONCORDAT_LOG_LEVEL: 'silent' } })
      const { url, close } = await startRskjNode(chain.networks.test.url)
      return {
        url,
        async stop() {
          close()
          await chain.stop()
        },
      }
    },
    args: soon,
    isExplored: false,
  },
}

for (const [name, { start, args, without, isExplored = true }] of chosen(nodes, {
  ganache: 'anvil',
  hardhat: 'anvil',
})) {
  t.test(`${name} fails exactly where it differs from the contract`, async (t) => {
    const node = await start()
    t.teardown(() => node.stop())
    const conform = (...more: readonly string[]) =>
      runConcordat(['conform', node.url, '--network', 'test', ...args, ...more])
    const { out, err, code } = await conform('--known', known(name))
    const failed = [...out.matchAll(/^ {2}✗ (.+)$/gm)].map(([, id]) => id)
    t.same(failed, [], `every difference is listed: ${out}`)
    t.equal(code, 0, 'every listed difference exists')
    t.match(out, /\d+ known to fail/)
    t.ok(Number(/(\d+) passed.*requests/.exec(out)?.[1]) >= 100, 'the rest matches the contract')
    t.match(err, /^(concordat conform: \d+ of \d+ cases after [^\n]+\n?)*$/, 'only progress')
    const exploring =
      without === undefined ? ['--known', known(name)] : await exploringWithout(without, name, t)
    for (const seed of isExplored ? seeds : []) {
      const explored = await runConcordat([
        ...['conform', node.url, '--network', 'test', ...exploring],
        ...['--explore', '500', '--seed', `${seed}`, '--only', 'explored/*'],
      ])
      t.equal(
        explored.code,
        0,
        `seed ${seed}: every difference of generated calls is listed: ${explored.out}`,
      )
      t.ok(Number(/(\d+) passed.*requests/.exec(explored.out)?.[1]) >= 100, 'the rest matches the contract')
    }
    if (name !== 'anvil') return
    const red = await conform('--only', 'null-lookups/*', '--only', 'logs-limits/*')
    t.equal(red.code, 1, 'an unlisted difference fails the run')
    t.match(red.out, /✗ uncle\.count-null\n.*null-lookups\/uncle-count-by-hash/)
    t.match(red.out, '✗ logs-limits/over-limit-error')
    t.match(red.out, 'error -32001 "Resource not found"', 'the actual answer is shown')
  })
}

t.test(
  'a node with an empty chain and the rules of Prague: every case is judged or not applicable',
  async (t) => {
    const node = await startBareAnvil('--chain-id', '31', '--hardfork', 'prague', '--base-fee', '0')
    t.teardown(() => node.stop())
    const file = join(await temporaryFolder(t), 'report.json')
    const args = ['--network', 'test', ...soon, '--report', `json=${file}`]
    await runConcordat(['conform', node.url, ...args, '--known', known('anvil')])
    const { cases } = JSON.parse(await readFile(file, 'utf8')) as Report
    const those = (verdict: CaseResult['verdict']) =>
      cases.filter((one) => one.verdict === verdict).map(({ id }) => id)
    t.same(those('harness-error'), [])
    // Transaction data costs more there, which is a difference from the contract.
    t.same(
      those('fail').filter((id) => id.startsWith('estimate-gas/')),
      ['estimate-gas/known-answer'],
    )
    const below = cases.filter(({ reason }) => /falls below zero$/.test(reason ?? ''))
    t.ok(below.length > 0 && below.every(({ verdict }) => verdict === 'not-applicable'))
    t.ok(those('pass').includes('estimate-gas/simulates-whole'))
  },
)
