import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { createPublicClient, createWalletClient, defineChain, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { counter, privateKey, restartService, rpcUrl, spentUrl, step, until, version } from '../step.mjs'

version(JSON.parse(readFileSync('node_modules/ponder/package.json', 'utf8')).version)
const chain = defineChain({
  id: 31,
  name: 'Rootstock Testnet',
  nativeCurrency: { name: 'Test Smart Bitcoin', symbol: 'tRBTC', decimals: 18 },
  rpcUrls: { default: { http: [rpcUrl] } },
})
const client = createPublicClient({ chain, transport: http(), pollingInterval: 200 })
const wallet = createWalletClient({ account: privateKeyToAccount(privateKey), chain, transport: http() })
const mined = (hash) => client.waitForTransactionReceipt({ hash })

const { contractAddress } = await mined(await wallet.deployContract({ ...counter, args: [40n] }))
const increase = async (by) =>
  mined(
    await wallet.writeContract({
      ...counter,
      address: contractAddress,
      functionName: 'increase',
      args: [by],
    }),
  )
await increase(2n)
await increase(1n)

const port = await new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address()
    server.close(() => resolve(port))
  })
})

/** Starts ponder, and returns its output so far and a function that ends it. */
function startPonder(url) {
  const args = ['start', '--schema', 'public', '--port', `${port}`, '--hostname', '127.0.0.1']
  const child = spawn('node_modules/.bin/ponder', args, {
    env: { ...process.env, RPC_URL: url, COUNTER: contractAddress, PONDER_TELEMETRY_DISABLED: 'true' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  const ended = new Promise((resolve) => child.once('close', resolve))
  return {
    output: () => output,
    stop() {
      child.kill()
      return ended
    },
  }
}

/** Waits until ponder has indexed these counts, each with what it read of the contract. */
async function indexed(...counts) {
  const find = () =>
    fetch(`http://127.0.0.1:${port}/increases`).then(
      (response) => response.json(),
      () => [],
    )
  const rows = await until(async () => {
    const found = await find()
    return found.length >= counts.length && found
  })
  assert.deepEqual(
    rows.map(([count]) => count),
    counts,
  )
  return rows
}

const ponder = startPonder(rpcUrl)
let rows = []
await step('reads logs', {
  '': async () => {
    rows = await indexed(42, 43)
  },
})
await step('receives events by polling', {
  '': async () => {
    await increase(2n)
    rows = await indexed(42, 43, 45)
  },
})
await step('reads old state', {
  '': () =>
    assert.deepEqual(
      rows.map(([, read]) => read),
      [42, 43, 45],
    ),
})
await step('receives events over a restart', {
  '': async () => {
    await restartService()
    await increase(3n)
    await indexed(42, 43, 45, 48)
  },
})
await step('reads 300 balances in one turn', {
  '': async () => {
    await increase(1n)
    const last = (await indexed(42, 43, 45, 48, 49)).at(-1)
    assert.equal(last[2], 300)
  },
})
console.error(ponder.output())
await ponder.stop()

const refused = startPonder(spentUrl)
await step('shows a spent daily limit', { '': () => until(() => /limit is spent/.test(refused.output())) })
console.error(refused.output())
await refused.stop()
process.exit()
