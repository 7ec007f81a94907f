import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import {
  messagesOf,
  privateKey,
  refusal,
  restartService,
  rpcUrl,
  spentUrl,
  step,
  until,
  version,
} from '../step.mjs'

const run = promisify(execFile)
process.env.ETH_RPC_URL = rpcUrl
/** Runs a tool and returns its output. The commands that npm installs exit with 0 after an error, so their output decides. */
const tool =
  (name) =>
  async (...args) => {
    const { stdout, stderr } = await run(`node_modules/.bin/${name}`, args)
    if (/^Error/m.test(stderr)) throw new Error(stderr)
    return stdout.trim()
  }
const cast = tool('cast')
const forge = tool('forge')

version((await cast('--version')).match(/Version: (\S+)/)[1])
const key = ['--private-key', privateKey]
const event = 'Increased(address indexed,uint256)'
let address
let receipt

const countAt = async (...block) =>
  Number((await cast('call', address, 'count()(uint256)', ...block)).split(' ')[0])
const increase = async (by, ...options) =>
  JSON.parse(await cast('send', address, 'increase(uint256)', by, ...key, '--json', ...options))
const countsSince = async (block) => {
  const logs = await cast('logs', '--from-block', block, '--address', address, event, '--json')
  return JSON.parse(logs).map(({ data }) => Number(data))
}
/** The check that a command fails with a text. */
const refused = async (command, text) => assert.match(messagesOf(await refusal(command)), text)

await step('compiles with `solc` of npm', { '': () => forge('build', '--force') })
await step('deploys a contract', {
  '': async () => {
    const args = ['create', 'contracts/counter.sol:Counter', ...key, '--broadcast', '--json']
    address = JSON.parse(await forge(...args, '--constructor-args', '40')).deployedTo
    assert.equal(await countAt(), 40)
  },
})
const script = (...options) =>
  forge('script', 'script/deploy.s.sol', ...key, '--rpc-url', rpcUrl, '--broadcast', ...options)
await step('deploys by a script (`forge script`)', {
  '': async () => assert.match(await script(), /EXECUTION COMPLETE & SUCCESSFUL/),
  '`--legacy`': async () => assert.match(await script('--legacy'), /EXECUTION COMPLETE & SUCCESSFUL/),
})
await step('sends a transaction and waits', {
  '': async () => {
    receipt = await increase('2', '--confirmations', '2')
    assert.equal(Number(receipt.status), 1)
    assert.equal(await countAt(), 42)
  },
})
await step('receives events by polling', {
  '`cast logs` in a loop, because subscriptions need a WebSocket': async () => {
    for (const by of ['1', '2']) await increase(by)
    const first = Number(receipt.blockNumber) + 1
    const counts = await until(async () => {
      const found = await countsSince(`${first}`)
      return found.length >= 2 && found
    })
    assert.deepEqual(counts, [43, 45])
  },
})
await step('reads logs', {
  '': async () => assert.deepEqual(await countsSince(`${Number(receipt.blockNumber)}`), [42, 43, 45]),
})
await step('reads old state', {
  '': async () => {
    assert.equal(await countAt('--block', `${Number(receipt.blockNumber) - 1}`), 40)
    assert.ok(BigInt(await cast('balance', receipt.from, '--block', '1')) > 0n)
  },
})
await step('reads state by block hash', {
  '': async () => assert.equal(await countAt('--block', receipt.blockHash), 42),
})
await step('tests on a fork (`forge test --fork-url`)', {
  '': async () => {
    process.env.COUNTER = address
    process.env.OLD_BLOCK = `${Number(receipt.blockNumber) - 1}`
    assert.match(await forge('test', '--fork-url', rpcUrl), /2 tests passed, 0 failed/)
  },
})
await step('shows the reason of a revert', {
  '': () => refused(cast('call', address, 'increase(uint256)', '0'), /nothing to add/),
})
await step(
  'reads the pending block',
  { '': () => cast('block', 'pending') },
  { pattern: /deserialization error/, why: 'it requires members that are null in a pending block' },
)
await step('receives events over a restart', {
  '`cast logs` in a loop': async () => {
    const before = await countAt()
    const first = Number(await cast('block-number')) + 1
    await increase('1')
    await restartService()
    await increase('2')
    const counts = await until(async () => {
      const found = await countsSince(`${first}`)
      return found.length >= 2 && found
    })
    assert.deepEqual(counts, [before + 1, before + 3])
  },
})
await step('shows the limit of logs', {
  '': () => refused(cast('logs', '--from-block', '0', '--to-block', 'latest'), /more than 10000 results/),
})
await step('shows a refused block tag', { '': () => refused(cast('block', 'finalized'), /a tag: latest/) })
await step('shows a spent daily limit', {
  '': () => refused(cast('block-number', '--rpc-url', spentUrl), /limit is spent/),
})
