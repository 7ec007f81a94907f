import { closeSync, readdirSync, readlinkSync } from 'node:fs'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { privateKeyToAccount } from 'viem/accounts'
import type { JsonValue } from '../../../../../../src/runtime/rpc/index.js'
import { createAnvilClient } from '../../../../../../src/service/gateway/dev-chain/anvil/anvil-client.js'
import {
  type EmbeddedChain,
  startEmbeddedChain,
} from '../../../../../../src/service/gateway/dev-chain/embedded-chain.js'
import { seedFacts } from '../../../../../../src/service/gateway/dev-chain/index.js'
import { journalSteps } from '../../../../../../src/service/gateway/dev-chain/journal/journaled-chain.js'
import { developmentAccounts } from '../../../../../../src/service/gateway/index.js'
import { until } from '../../../../../support/until.js'

const [sender] = developmentAccounts
const account = privateKeyToAccount(sender.privateKey)
const receiver = '0x00000000000000000000000000000000000c0ffe'
/** Creates a contract that logs its call data and returns 42. */
const creation = '0x600f600c600039600f6000f3365f5f37365fa0602a5f5260205ff3'

/** Open files are read from `/proc`. */
const onLinux = { skip: process.platform !== 'linux' && 'it reads /proc' }

/** Starts a chain with a journal, and calls it as the service does. */
async function open(path: string, blockSeconds = 0) {
  const lines: string[] = []
  const journal = Promise.resolve(path)
  const chain = await startEmbeddedChain({
    chainId: '0x1f',
    blockSeconds,
    journal,
    warn: (line) => lines.push(line),
  })
  const anvil = createAnvilClient(chain.url)
  const call = chain.profile(async (method, params) => {
    const result = await anvil.call(method, ...params).catch((error: Error) => error)
    return result instanceof Error ? { error: { code: -32000, message: result.message } } : { result }
  })
  const ask = async (method: string, ...params: JsonValue[]) => (await call(method, params)).result
  const nonceOf = async () => Number(await ask('eth_getTransactionCount', sender.address, 'latest'))
  const send = async (transaction: {
    to?: `0x${string}`
    data?: `0x${string}`
    value?: bigint
    nonce?: number
  }) => {
    const nonce = transaction.nonce ?? (await nonceOf())
    const own = {
      type: 'legacy',
      gas: 200_000n,
      gasPrice: 60_000_000n,
      chainId: 31,
      ...transaction,
      nonce,
    } as const
    return call('eth_sendRawTransaction', [await account.signTransaction(own)])
  }
  const close = async (end: (chain: EmbeddedChain) => unknown = (one) => one.stop()) => {
    await end(chain)
    await chain.ended
    await anvil.close()
  }
  return { ask, send, close, lines, pid: chain.pid }
}

t.test('a chain has the same blocks, receipts, logs and states after a stop and after a kill', async (t) => {
  const path = join(t.testdir(), 'chain.journal')
  let chain = await open(path)
  for (const kill of [false, true]) {
    const { result: created } = await chain.send({ data: creation })
    const receipt = (await chain.ask('eth_getTransactionReceipt', created ?? null)) as {
      contractAddress: `0x${string}`
    }
    const contract = receipt.contractAddress
    await chain.send({ to: contract, data: '0x1234' })
    await chain.send({ to: receiver, value: 7n })
    t.match(
      (await chain.send({ to: receiver, nonce: 0 })).error,
      { message: /nonce/ },
      'a refused transaction',
    )
    const next = Number(await chain.ask('eth_getTransactionCount', sender.address, 'latest'))
    await chain.send({ to: receiver, value: 1n, nonce: next + 1 })
    await chain.send({ to: receiver, value: 1n, nonce: next })
    const head = await chain.ask('eth_blockNumber')
    const look = async ({ ask }: typeof chain) => ({
      answer: await ask('eth_call', { to: contract }, 'latest'),
      balance: await ask('eth_getBalance', receiver, 'latest'),
      before: await ask('eth_getBalance', receiver, `0x${(Number(head) - 1).toString(16)}`),
      nonce: await ask('eth_getTransactionCount', sender.address, 'latest'),
      receipt: await ask('eth_getTransactionReceipt', created ?? null),
      logs: await ask('eth_getLogs', { address: contract, fromBlock: 'earliest' }),
      block: await ask('eth_getBlockByNumber', 'latest', true),
    })
    const seen = await look(chain)
    t.match(seen, { answer: /2a$/, logs: [{ data: '0x1234' }], nonce: `0x${(next + 2).toString(16)}` })
    await chain.close(kill ? () => process.kill(-chain.pid, 'SIGKILL') : undefined)
    if (kill) await appendFile(path, '+0x12')
    chain = await open(path)
    t.strictSame(await look(chain), seen, kill ? 'after a kill in the middle of a line' : 'after a stop')
  }
  await chain.close()
})

t.test('a moving head goes on where it was, and is not below what was seen', async (t) => {
  const path = join(t.testdir(), 'chain.journal')
  const first = await open(path, 1)
  const beyond = async ({ ask }: typeof first, block: number) => Number(await ask('eth_blockNumber')) > block
  await first.send({ to: receiver, value: 7n })
  await until(() => beyond(first, seedFacts.head + 1))
  await first.close()
  const second = await open(path, 1)
  t.equal(await second.ask('eth_getBalance', receiver, 'latest'), '0x7')
  t.ok(await beyond(second, seedFacts.head + 1))
  await until(() => beyond(second, seedFacts.head + 2))
  await second.close()
})

t.test('a journal that is too long, or on another seed, becomes empty blocks up to its head', async (t) => {
  const folder = t.testdir()
  const path = join(folder, 'chain.journal')
  const first = await open(path)
  await first.send({ to: receiver, value: 7n })
  await first.close()
  const text = await readFile(path, 'utf8')
  const head = seedFacts.head + 1
  const rows = {
    long: text + '+0x\n'.repeat(journalSteps),
    other: text.replace(/^0x\w+/, `0x${'1'.repeat(64)}`),
  }
  for (const [name, journal] of Object.entries(rows)) {
    const own = join(folder, name)
    await writeFile(own, journal)
    const chain = await open(own)
    t.match(
      chain.lines,
      [/^the development chain starts without its transactions/],
      `${name}: the user is told`,
    )
    t.equal(Number(await chain.ask('eth_blockNumber')), head, name)
    t.equal(await chain.ask('eth_getBalance', receiver, 'latest'), '0x0', `${name}: without its transactions`)
    t.notOk((await chain.send({ to: receiver, value: 3n })).error)
    await chain.close()
    const again = await open(own)
    t.equal(Number(await again.ask('eth_blockNumber')), head + 1)
    t.equal(await again.ask('eth_getBalance', receiver, 'latest'), '0x3')
    await again.close()
  }
})

t.test('a damaged journal is kept as a copy, and the chain has the steps before the damage', async (t) => {
  const folder = t.testdir()
  const path = join(folder, 'chain.journal')
  const first = await open(path)
  for (const value of [1n, 2n, 4n]) await first.send({ to: receiver, value })
  await first.close()
  const text = await readFile(path, 'latin1')
  const [seed = '', ...steps] = text.trimEnd().split('\n')
  const replaced = (at: number, line: string) => `${[seed, ...steps.with(at, line)].join('\n')}\n`
  const noise = '\0\xff\x80+0x?'
  const head = seedFacts.head + 3
  const rows = {
    'a transaction': { journal: replaced(2, noise), line: 4, balance: 1, head },
    'the time of a block': { journal: replaced(3, '=16?'), line: 5, balance: 3, head },
    'an empty line': { journal: replaced(4, ''), line: 6, balance: 3, head },
    'the end': { journal: `${text}${noise}\n`, line: 8, balance: 7, head },
    'the end, without a line break': { journal: text + '\0'.repeat(4096), line: 8, balance: 7, head },
    'the first line': { journal: text.replace(seed, noise), line: 1, balance: 0, head },
    'all of it': { journal: noise.repeat(10_000), line: 1, balance: 0, head: seedFacts.head },
  }
  for (const [name, { journal, line, balance, head }] of Object.entries(rows))
    await t.test(name, async (t) => {
      const own = join(t.testdir(), 'chain.journal')
      await writeFile(own, journal, 'latin1')
      const chain = await open(own)
      t.equal(chain.lines.length, 1)
      const [warning = ''] = chain.lines
      t.match(warning, new RegExp(`${own} is damaged in line ${line}`))
      const [copy = ''] = /\S+\.damaged-\d+/.exec(warning) ?? []
      t.equal(await readFile(copy, 'latin1'), journal, 'the copy that the warning names')
      const look = async ({ ask }: typeof chain) => ({
        head: Number(await ask('eth_blockNumber')),
        balance: Number(await ask('eth_getBalance', receiver, 'latest')),
      })
      t.same(await look(chain), { head, balance })
      t.notOk((await chain.send({ to: receiver, value: 8n })).error)
      await chain.close()
      const again = await open(own)
      t.same(again.lines, [], 'the next start finds no damage')
      t.same(await look(again), { head: head + 1, balance: balance + 8 })
      await again.close()
    })
})

/** The descriptors of this process for a file, on Linux. */
const openDescriptors = (path: string): readonly number[] =>
  readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`) === path
      } catch {
        return false
      }
    })

t.test('a start that fails leaves no open journal', onLinux, async (t) => {
  const path = join(t.testdir(), 'chain.journal')
  const first = await open(path)
  await first.send({ to: receiver, value: 7n })
  await first.close()
  // Blocks of a moving head are replayed in turn. The last one is before its predecessor, so anvil refuses it.
  await appendFile(path, '*1\n')
  await t.rejects(open(path), { name: 'EmbeddedChainError', message: `Cannot use ${path}: ` })
  t.same(openDescriptors(path), [])
})

t.test(
  'a journal that cannot be closed is logged, and the end of the chain is noticed',
  onLinux,
  async (t) => {
    const path = join(t.testdir(), 'chain.journal')
    const chain = await open(path)
    for (const descriptor of openDescriptors(path)) closeSync(descriptor)
    await chain.close()
    t.match(chain.lines.join('\n'), /ended with an error: .*EBADF/)
  },
)
