import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { privateKeyToAccount } from 'viem/accounts'
import { extensions, limits } from '../../../../../generated/contract.js'
import { methods } from '../../../../../generated/methods.js'
import type { JsonObject, JsonValue } from '../../../../../src/runtime/rpc/index.js'
import { tuningDefaults as tuning } from '../../../../../src/service/gateway/app/config/tuning.js'
import { startAnvil } from '../../../../../src/service/gateway/dev-chain/anvil/anvil-process.js'
import {
  type EmbeddedChain,
  startEmbeddedChain,
} from '../../../../../src/service/gateway/dev-chain/embedded-chain.js'
import { keptStates, seedFacts } from '../../../../../src/service/gateway/dev-chain/index.js'
import { seedContractCall } from '../../../../../src/service/gateway/dev-chain/seed/seed-contract.js'
import { minimumGasPrice } from '../../../../../src/service/gateway/dev-chain/seed/seed-facts.js'
import { developmentAccounts } from '../../../../../src/service/gateway/index.js'
import { createAnswers, createForwarder } from '../../../../../src/service/gateway/methods/index.js'
import { createUpstream } from '../../../../../src/service/gateway/nodes/index.js'
import { parseContract } from '../../../../../src/toolkit/contract/index.js'
import { logsOf } from '../../../../support/logs.js'
import { until } from '../../../../support/until.js'

const quantity = (value: number | bigint) => `0x${value.toString(16)}`

/** The service's answers on a chain, each validated against the contract. */
async function openChain(chainId: '0x1f' | '0x1e' = '0x1f', blockSeconds = 0) {
  const lines: string[] = []
  const chain = await startEmbeddedChain({ chainId, blockSeconds, log: (line) => lines.push(line) })
  const upstream = createUpstream({
    tuning: { ...tuning, nodeStaleSeconds: 0 },
    nodes: [{ name: 'test-1', url: chain.url, weight: 1, headers: {}, timeoutMs: 600_000 }],
    timeoutMs: 600_000,
    chainId,
    profile: chain.profile,
  })
  const forward = createForwarder(upstream.call)
  const answerOf = createAnswers({
    nodeCallsPerSecond: () => 200,
    call: upstream.call,
    cached: ({ name }, params) => forward(name, params),
    network: extensions['x-networks'][chainId === '0x1f' ? 'test' : 'main'],
  })
  // biome-ignore lint/suspicious/noExplicitAny: answers are taken apart freely
  const ask = async (method: keyof typeof methods, ...params: JsonValue[]): Promise<any> => {
    const answer = await (method === 'eth_getLogs'
      ? logsOf(upstream.call, params[0])
      : answerOf(method, params, { userId: 'user', request: {}, inBatch: false, holdLogs: () => true }))
    const problems = methods[method].validateResult(answer)
    if (problems.length > 0) throw new Error(`${method}: ${JSON.stringify(problems)}`)
    return answer
  }
  const anvil = async (method: string, ...params: JsonValue[]) => (await upstream.call(method, params)).result
  const close = async () => {
    await upstream.close()
    await chain.stop()
  }
  return { chain, upstream, ask, anvil, close, lines }
}

/** Resolves when a process, or with a negative id a process group, has exited. */
async function gone(pid: number): Promise<void> {
  await until(() => {
    try {
      return !process.kill(pid, 0)
    } catch {
      return true
    }
  })
}

t.test('a development chain', async (t) => {
  const { chain, upstream, ask, anvil, close, lines } = await openChain()
  t.teardown(close)
  const block = (number: number | string, full = false) =>
    ask('eth_getBlockByNumber', typeof number === 'number' ? quantity(number) : number, full)
  const logs = async (filter: JsonObject) => (await ask('eth_getLogs', filter)) as JsonObject[]

  t.equal(chain.head, seedFacts.head)
  t.match(lines, [/development chain 31 seeded in \d+ ms/])
  t.equal(await upstream.ready(), 'ok')

  /** The receipt, once the transaction is mined shortly after sending. */
  const receiptOf = (hash: string) => until(() => ask('eth_getTransactionReceipt', hash))

  await t.test('has the blocks of the seed', async (t) => {
    t.equal(await ask('eth_blockNumber'), quantity(seedFacts.head))
    t.same((await block(seedFacts.firstTransactionBlock - 1)).transactions, [])
    const [creation] = (await block(seedFacts.contractBlock, true)).transactions
    t.equal(creation.to, null)
    const created = await ask('eth_getTransactionReceipt', creation.hash)
    t.match(created, { contractAddress: seedFacts.contract, status: '0x1', to: null })
    t.equal((await block(seedFacts.transfersBlock)).transactions.length, 3)
    t.equal(await ask('eth_getBalance', seedFacts.transfersTo, 'latest'), quantity(6n * 10n ** 18n))
    const [failed, transfer] = (await block(seedFacts.failedTransactionBlock)).transactions
    t.equal((await ask('eth_getTransactionReceipt', failed)).status, '0x0')
    t.equal((await ask('eth_getTransactionReceipt', transfer)).status, '0x1')
    t.equal((await logs({ fromBlock: '0x1b0' })).length, seedFacts.logs)
    for (const at of [seedFacts.fiveLogsBlock, seedFacts.head]) {
      const five = await logs({ fromBlock: quantity(at), toBlock: quantity(at) })
      t.strictSame(five.map((log) => (log['topics'] as JsonValue[]).length).sort(), [0, 1, 2, 3, 4])
    }
    t.equal(await ask('eth_getBalance', seedFacts.emptyAccount, 'latest'), '0x0')
    t.equal(await ask('eth_getBalance', developmentAccounts[9].address, 'latest'), '0x21e19e0c9bab2400000')
  })

  await t.test('ends with the blocks that conformance cases need', async (t) => {
    const { creationBlock, transferBlock, manyTransactionsBlock, longDataBlock, recentLogs, head } = seedFacts
    const [creation, transfer, many, long] = await Promise.all(
      [creationBlock, transferBlock, manyTransactionsBlock, longDataBlock].map(
        async (number) => (await block(number, true)).transactions as JsonObject[],
      ),
    )
    const uneven = '0x2386f26fc10001'
    t.match(creation, [{ to: null, value: uneven }])
    t.match(transfer, [{ to: seedFacts.valuesTo, value: uneven, gas: '0x5208' }])
    t.equal(many?.length, 60)
    t.match(long, [{ value: uneven }, { value: uneven }])
    const found = await logs({ fromBlock: quantity(creationBlock), toBlock: quantity(head) })
    t.equal(found.length, recentLogs)
    const bytes = ({ data }: JsonObject) => (String(data).length - 2) / 2
    const longest = found.filter((log) => log['blockNumber'] === quantity(longDataBlock)).map(bytes)
    t.same(longest, [96, 100])
    const to = long?.[0]?.['to'] ?? ''
    t.equal(await ask('eth_getBalance', to, quantity(longDataBlock)), '0x6a94d74f430003')
    const word = await ask('eth_getStorageAt', to, '0x0', 'latest')
    t.equal(word, '0x123456789abcdef0fedcba98765432100123456789abcdef0fedcba987654321')
    t.equal(await ask('eth_call', { to, data: '0x00ff10' }, 'latest'), '0x00ff10')
  })

  await t.test(
    'a long range returns at most 10,000 logs, and a span of 2,000 blocks any number',
    async (t) => {
      const { tenThousandLogsBlock, pastTenThousandBlock, head } = seedFacts
      const upTo = (block: number) => logs({ fromBlock: '0x0', toBlock: quantity(block) })
      t.equal((await upTo(tenThousandLogsBlock)).length, limits.logsPerAnswer)
      t.ok((await upTo(tenThousandLogsBlock - 1)).length < limits.logsPerAnswer)
      t.equal((await upTo(pastTenThousandBlock - 1)).length, limits.logsPerAnswer)
      const suggested = { from: '0x0', to: quantity(pastTenThousandBlock - 1), limit: limits.logsPerAnswer }
      await t.rejects(upTo(pastTenThousandBlock), {
        code: -32602,
        message: `this block range should work: [${suggested.from}, ${suggested.to}]`,
        data: suggested,
      })
      const span = (blocks: number) =>
        logs({ fromBlock: quantity(head - blocks + 1), toBlock: quantity(head) })
      t.equal((await span(limits.blockSpanWithoutLogLimit)).length, seedFacts.logs)
      await t.rejects(span(limits.blockSpanWithoutLogLimit + 1), {
        code: -32602,
        data: { from: quantity(head - limits.blockSpanWithoutLogLimit), to: quantity(head - 1) },
      })
    },
  )

  await t.test('its methods agree', async (t) => {
    const { transfersBlock, failedTransactionBlock, twoTransactionsWithLogsBlock, contractBlock } = seedFacts
    for (const number of [
      0,
      7,
      contractBlock,
      transfersBlock,
      failedTransactionBlock,
      twoTransactionsWithLogsBlock,
    ]) {
      const full = await block(number, true)
      const hashes = await block(number)
      t.equal(Object.keys(full).length, 27, 'a block has exactly 27 members')
      t.strictSame(await ask('eth_getBlockByHash', full.hash, true), full)
      t.strictSame(await ask('eth_getBlockByHash', full.hash, false), hashes)
      t.strictSame(
        hashes.transactions,
        full.transactions.map(({ hash }: { hash: string }) => hash),
      )
      const count = quantity(full.transactions.length)
      t.equal(await ask('eth_getBlockTransactionCountByHash', full.hash), count)
      t.equal(await ask('eth_getBlockTransactionCountByNumber', full.number), count)
      t.equal(await ask('eth_getUncleCountByBlockHash', full.hash), '0x0')
      let paid = 0n
      const written: JsonValue[] = []
      for (const [index, transaction] of full.transactions.entries()) {
        t.equal(Object.keys(transaction).length, 17, '15 members, the chain id and the time of the block')
        const _id = `${full.hash}-${quantity(index)}`
        const at = quantity(index)
        t.strictSame(await ask('eth_getTransactionByHash', transaction.hash), transaction)
        t.strictSame(await ask('eth_getTransactionByBlockHashAndIndex', full.hash, at), {
          ...transaction,
          _id,
        })
        t.strictSame(await ask('eth_getTransactionByBlockNumberAndIndex', full.number, at), {
          ...transaction,
          _id,
        })
        const receipt = await ask('eth_getTransactionReceipt', transaction.hash)
        t.equal(Object.keys(receipt).length, 14)
        paid += BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
        written.push(...receipt.logs)
      }
      t.equal(full.paidFees, quantity(paid), `the fees of block ${number}`)
      t.strictSame(await logs({ blockHash: full.hash }), written, `the logs of block ${number}`)
      t.strictSame(await logs({ fromBlock: full.number, toBlock: full.number }), written)
      const seven = full.hashForMergedMining.slice(2)
      t.ok(full.bitcoinMergedMiningCoinbaseTransaction.includes(seven))
    }
    const before = await block(transfersBlock - 1)
    const after = await block(transfersBlock)
    t.equal(after.parentHash, before.hash)
    t.equal(BigInt(after.totalDifficulty) - BigInt(before.totalDifficulty), BigInt(after.difficulty))
  })

  await t.test('state is equal by number, by hash and by tag, also at the first block', async (t) => {
    const { contract, numberSetBlock, head } = seedFacts
    const number = { to: contract, data: seedContractCall('number') }
    for (const [at, wanted] of [
      [numberSetBlock - 1, 42],
      [numberSetBlock, 7],
      [head, 7],
    ] as const) {
      const { hash } = await block(at)
      for (const selector of [quantity(at), hash, ...(at === head ? ['latest', 'pending'] : [])]) {
        t.equal(Number(await ask('eth_call', number, selector)), wanted)
        t.equal(Number(await ask('eth_getStorageAt', contract, '0x00', selector)), wanted)
        t.not(await ask('eth_getCode', contract, selector), '0x')
        t.equal(await ask('eth_getTransactionCount', developmentAccounts[3].address, selector), '0x0')
      }
    }
    const genesis = await block(0)
    for (const selector of ['earliest', '0x0', genesis.hash, quantity(seedFacts.firstTransactionBlock - 1)]) {
      t.equal(await ask('eth_getBalance', developmentAccounts[0].address, selector), '0x21e19e0c9bab2400000')
      t.equal(await ask('eth_getBalance', seedFacts.transfersTo, selector), '0x0')
      t.equal(await ask('eth_getCode', contract, selector), '0x')
      t.equal(await ask('eth_getTransactionCount', developmentAccounts[0].address, selector), '0x0')
      t.equal(Number(await ask('eth_getStorageAt', contract, '0x0', selector)), 0)
      t.equal(await ask('eth_call', { ...number, from: developmentAccounts[0].address }, selector), '0x')
    }
    const sha256OfNothing = { to: '0x0000000000000000000000000000000000000002' }
    t.match(await ask('eth_call', sha256OfNothing, 'earliest'), /^0xe3b0c44298fc1c149afbf4c8996fb924/)
    t.equal(await ask('eth_estimateGas', number, 'earliest'), '0x5248')
    const unpaid = { from: seedFacts.emptyAccount, to: contract, value: '0x1' }
    await t.rejects(ask('eth_call', unpaid, 'earliest'), { code: -32003 })
    t.equal(await ask('eth_estimateGas', unpaid, 'earliest'), '0x5208')
  })

  await t.test('reverts and refusals of eth_call', async (t) => {
    const to = seedFacts.contract
    const call = (data: string, more: JsonObject = {}) => ask('eth_call', { to, data, ...more }, 'latest')
    await t.rejects(call(seedContractCall('failAfter', 2)), {
      code: 3,
      message: 'execution reverted: late',
      data: /^0x08c379a0/,
    })
    await t.rejects(call(seedContractCall('failSilently')), {
      code: 3,
      message: 'execution reverted',
      data: '0x',
    })
    await t.rejects(call(seedContractCall('failAssertion')), {
      code: 3,
      message: 'execution reverted: panic code 0x01',
    })
    await t.rejects(call(seedContractCall('failOwn', 7)), {
      code: 3,
      message: 'execution reverted',
      data: /^0xc246547f/,
    })
    await t.rejects(call(seedContractCall('spin')), { code: -32003, message: /OutOfGas/ })
    await t.rejects(call('0x', { from: seedFacts.emptyAccount, value: '0x1' }), {
      code: -32003,
      message: /funds/,
    })
    t.equal(
      Buffer.from((await call(seedContractCall('greeting'))).slice(130, 140), 'hex').toString(),
      'hello',
    )
  })

  await t.test('an estimate is answered whatever fails', async (t) => {
    const to = seedFacts.contract
    const estimate = (call: JsonObject, at = 'latest') => ask('eth_estimateGas', call, at)
    const poor = { from: seedFacts.emptyAccount, to: developmentAccounts[4].address, gas: '0x76c0' }
    const known = { ...poor, gasPrice: '0x9184e72a000', value: '0x9184e72a', data: `0x${'ab'.repeat(41)}` }
    for (const at of ['latest', 'pending', 'earliest', '0x5', quantity(seedFacts.head - 3)]) {
      t.equal(await estimate(known, at), '0x5498', `no balance, at ${at}`)
    }
    await t.rejects(estimate(known, '0xffffff'), { code: -32001 })
    const reverting = Number(await estimate({ to, data: seedContractCall('failAfter', 2) }))
    t.equal(reverting, 0x1015a, 'the gas up to the failing step')
    const within = { to, data: seedContractCall('failAfter', 2), gas: quantity(reverting) }
    await t.rejects(ask('eth_call', within, 'latest'), { code: 3 }, 'is enough to reach it')
    const { gasLimit } = await block('latest')
    t.equal(await estimate({ to, data: seedContractCall('spin') }), gasLimit, "out of gas: the block's limit")
    t.equal(
      await estimate({ to, data: seedContractCall('spin'), gas: '0x30000' }),
      '0x30000',
      "or the call's own gas",
    )
    const [creation] = (await block(seedFacts.contractBlock, true)).transactions
    const { gasUsed } = await ask('eth_getTransactionReceipt', creation.hash)
    t.ok(Number(await estimate({ data: creation.input })) >= Number(gasUsed), 'a creation, without to')
    const call = { to, data: seedContractCall('setNumber', 9) }
    const gas = await estimate(call)
    t.equal(await ask('eth_call', { ...call, gas }, 'latest'), '0x', 'an estimate is enough gas')
  })

  await t.test('exact examples about the chain are answered as the contract states', async (t) => {
    const text = await readFile(new URL('../../../../../openrpc.json', import.meta.url), 'utf8')
    for (const { name, examples } of parseContract(text).methods) {
      for (const { name: example, params, result, error, extensions } of examples) {
        const values = params.map(({ value }) => value)
        const method = methods[name as keyof typeof methods]
        const isValid = method.validateParams(values).length === 0
        if (extensions['x-replay'] !== 'exact' || !isValid || example.endsWith('-main')) continue
        const defaults = method.params
          .slice(values.length)
          .map((param) => ('default' in param ? param.default : null))
        const asked = ask(method.name, ...values, ...defaults)
        if (error === undefined) t.strictSame(await asked, result?.value, example)
        else await t.rejects(asked, error as { code: number; message: string }, example)
      }
    }
  })

  await t.test('a signed transaction is mined', async (t) => {
    const account = privateKeyToAccount(developmentAccounts[5].privateKey)
    const to = developmentAccounts[6].address
    const sign = (nonce: number, more: object = {}) =>
      account.signTransaction({
        type: 'legacy',
        chainId: 31,
        nonce,
        gas: 21_000n,
        gasPrice: minimumGasPrice,
        to,
        value: 5n,
        ...more,
      })
    const before = BigInt(await ask('eth_getBalance', to, 'latest'))
    const hash = await ask('eth_sendRawTransaction', await sign(0))
    t.match(await receiptOf(hash), {
      status: '0x1',
      transactionHash: hash,
      effectiveGasPrice: quantity(minimumGasPrice),
      type: '0x0',
    })
    t.equal(BigInt(await ask('eth_getBalance', to, 'latest')) - before, 5n)
    const { timestamp } = await block('latest')
    t.ok(Math.abs(Number(timestamp) - Date.now() / 1000) < 60, 'in a block with the current time')

    const refused = (raw: string, message: RegExp) =>
      t.rejects(ask('eth_sendRawTransaction', raw), { code: -32003, message })
    await refused(await sign(0), /nonce too low/)
    await refused(await sign(1, { value: 10n ** 30n }), /[Ii]nsufficient funds/)
    await refused(await sign(1, { gas: 20_000n }), /intrinsic gas too low/)
    await refused(await sign(1, { chainId: 30 }), /have 30 want 31/)
    await refused(await sign(1, { gasPrice: 1n }), /gas price/)
    const { gasPrice: _, ...rest } = { gasPrice: 0, chainId: 31, nonce: 1, gas: 21_000n, to }
    await refused(await account.signTransaction({ type: 'eip1559', ...rest }), /only legacy transactions/)
    await t.rejects(ask('eth_sendRawTransaction', '0x1234'), { code: -32602 })
    t.equal(await ask('eth_getTransactionCount', account.address, 'latest'), '0x1')

    await anvil('evm_setAutomine', false)
    const pending = await ask('eth_sendRawTransaction', await sign(1))
    const noPlace = { hash: pending, blockHash: null, blockNumber: null, transactionIndex: null }
    t.match(await ask('eth_getTransactionByHash', pending), noPlace)
    t.equal(await ask('eth_getTransactionReceipt', pending), null)
    t.match(await block('pending', true), {
      number: null,
      hash: null,
      logsBloom: null,
      transactions: [noPlace],
    })
    t.equal(await ask('eth_getBlockTransactionCountByNumber', 'pending'), '0x1')
    t.match(await ask('eth_getTransactionByBlockNumberAndIndex', 'pending', '0x0'), {
      ...noPlace,
      _id: 'pending-0x0',
    })
    t.equal(await ask('eth_getTransactionCount', account.address, 'pending'), '0x2')
    t.equal(await ask('eth_getTransactionCount', account.address, 'latest'), '0x1')
    await anvil('evm_mine')
    t.match(await receiptOf(pending), { status: '0x1' })
  })

  await t.test('the state of the latest blocks is kept, and the error for older state says so', async (t) => {
    const guide = await readFile(new URL('../../../../../docs/integrator.md', import.meta.url), 'utf8')
    t.match(guide, `the state of the latest ${keptStates} blocks`)
    const account = developmentAccounts[0].address
    const call = { to: seedFacts.contract, data: seedContractCall('number') }
    const reads = [
      ['eth_getBalance', account],
      ['eth_getCode', seedFacts.contract],
      ['eth_getStorageAt', seedFacts.contract, '0x0'],
      ['eth_getTransactionCount', account],
      ['eth_call', call],
      ['eth_estimateGas', call],
    ] as const
    await anvil('anvil_mine', quantity(keptStates))
    const head = Number(await ask('eth_blockNumber'))
    const selectors = async (number: number) => {
      const { hash } = await block(number)
      return [quantity(number), hash, { blockHash: hash, requireCanonical: true }]
    }
    for (const selector of await selectors(head - keptStates + 1))
      for (const [method, ...params] of reads) t.ok(await ask(method, ...params, selector), method)
    for (const number of [head - keptStates, seedFacts.transfersBlock])
      for (const selector of await selectors(number))
        for (const [method, ...params] of reads)
          await t.rejects(ask(method, ...params, selector), {
            code: -32001,
            message: `The state of this block is not available: the development chain keeps the state of the latest ${keptStates} blocks`,
          })
    await t.rejects(ask('eth_getBalance', account, quantity(head + 1)), {
      code: -32001,
      message: 'The block is not known',
    })
    const unpaid = { from: seedFacts.emptyAccount, to: account, value: '0x1' }
    await t.rejects(ask('eth_call', unpaid, quantity(head - keptStates + 1)), { code: -32003 })
    t.equal(await ask('eth_getBalance', account, 'earliest'), '0x21e19e0c9bab2400000')
    t.equal(
      await ask('eth_getLogs', {
        fromBlock: 'earliest',
        toBlock: quantity(seedFacts.tenThousandLogsBlock),
      }).then(({ length }) => length),
      limits.logsPerAnswer,
    )
  })
})

t.test('a moving head repeats the kinds of blocks, with new transactions', async (t) => {
  const { ask, close, lines } = await openChain('0x1f', 1)
  t.teardown(close)
  const { creationBlock, head } = seedFacts
  const account = privateKeyToAccount(developmentAccounts[9].privateKey)
  const transfer = {
    to: developmentAccounts[8].address,
    gas: 21_000n,
    gasPrice: minimumGasPrice,
    chainId: 31,
  }
  const signed = await account.signTransaction({ type: 'legacy', nonce: 0, value: 1n, ...transfer })
  const hash = await ask('eth_sendRawTransaction', signed)
  const receipt = await until(() => ask('eth_getTransactionReceipt', hash))
  await until(async () => Number(await ask('eth_blockNumber')) >= head + 5)
  const count = async (block: number) =>
    Number(await ask('eth_getBlockTransactionCountByNumber', quantity(block)))
  for (const [at, seeded] of [1, 1, 60, 2, 1].entries()) {
    t.equal(await count(creationBlock + at), seeded)
    const block = head + 1 + at
    t.equal(await count(block), block === Number(receipt.blockNumber) ? seeded + 1 : seeded, `block ${block}`)
  }
  t.match(lines, [/seeded/], 'the chain kept running')
})

t.test('two starts give identical blocks', async (t) => {
  const chains = await Promise.all([openChain(), openChain(), openChain('0x1e')])
  t.teardown(() => Promise.all(chains.map(({ close }) => close())))
  const [one, two, main] = await Promise.all(
    chains.map(async ({ ask }) => {
      const { hash, timestamp } = await ask('eth_getBlockByNumber', 'latest', false)
      const logs = await ask('eth_getLogs', { blockHash: hash })
      const receipt = await ask('eth_getTransactionReceipt', logs[0].transactionHash)
      return { hash, timestamp, logs, receipt }
    }),
  )
  t.strictSame(one, two)
  t.not(main?.hash, one?.hash, 'the other network has its own transactions')
  t.equal(main?.timestamp, one?.timestamp)
  t.notOk(await chains[2]?.upstream.call('eth_chainId', []).then(({ result }) => result === '0x1f'))
})

t.test('anvil exits when its parent is killed', async (t) => {
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const script = fileURLToPath(new URL('./chain-parent.ts', import.meta.url))
    const parent = spawn(process.execPath, ['--import=tsx', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = await once(parent.stdout.setEncoding('utf8'), 'data')
    const { pid } = JSON.parse(line) as { pid: number }
    process.kill(pid, 0)
    parent.kill(signal)
    await once(parent, 'close')
    await gone(pid)
    t.pass(`anvil ${pid} ended after ${signal}`)
  }
})

t.test('a chain that is stopped, or exits by itself, leaves no process', async (t) => {
  const chain: EmbeddedChain = await startEmbeddedChain({ chainId: '0x1f' })
  await chain.stop()
  await chain.ended
  await gone(chain.pid)
  await chain.stop()
  const other = await startEmbeddedChain({ chainId: '0x1f' })
  process.kill(other.pid, 'SIGKILL')
  await other.ended
  await gone(-other.pid)
  t.pass('its guard exits, too')
})

t.test('a failed start is explained', async (t) => {
  await t.rejects(startAnvil('/nowhere/anvil', []), {
    name: 'EmbeddedChainError',
    message: /did not start: .*not found/,
  })
  await t.rejects(startAnvil('/bin/sh', []), { name: 'EmbeddedChainError', message: /did not start: / })
})
