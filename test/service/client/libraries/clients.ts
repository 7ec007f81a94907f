import { ethers } from 'ethers'
import t from 'tap'
import { createPublicClient, defineChain, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { Web3 } from 'web3'
import { developmentAccounts, seedContractCall, seedFacts } from '../../../support/development-chain.js'
import { service } from './service.js'

t.test('viem recognises errors: a missing receipt, and a block that no node has', async (t) => {
  const { url } = service.networks.test
  const client = createPublicClient({ transport: http(url) })
  await t.rejects(client.getTransactionReceipt({ hash: `0x${'ab'.repeat(32)}` }), {
    name: 'TransactionReceiptNotFoundError',
  })
  const { address } = developmentAccounts[0]
  await t.rejects(client.getBalance({ address, blockNumber: 99_999_999n }), /-32001|not found/i)
})

/** The usual address of Multicall3. */
const multicall3 = { address: '0xcA11bde05977b3631167028862bE2a173976CA11' } as const

/** The error with which a promise rejects. */
const refusal = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    () => undefined,
    (error: unknown) => error,
  )

t.test('viem and ethers read several values with one call of Multicall3, on both chains', async (t) => {
  for (const [network, id] of [
    ['test', 31],
    ['main', 30],
  ] as const) {
    const { url } = service.networks[network]
    const chain = defineChain({
      id,
      name: network,
      nativeCurrency: { name: 'coin', symbol: 'C', decimals: 18 },
      rpcUrls: { default: { http: [url] } },
      contracts: { multicall3 },
    })
    const client = createPublicClient({ chain, transport: http(url), batch: { multicall: true } })
    const contract = {
      address: seedFacts.contract,
      abi: parseAbi([
        'function number() view returns (uint256)',
        'function greeting() view returns (string)',
        'function failSilently() view',
      ]),
    } as const
    const contracts = [
      { ...contract, functionName: 'number' },
      { ...contract, functionName: 'greeting' },
    ] as const
    t.same(await client.multicall({ contracts, allowFailure: false }), [7n, 'hello'])
    const failing = [{ ...contract, functionName: 'failSilently' }, contracts[0]] as const
    t.match(await client.multicall({ contracts: failing }), [{ status: 'failure' }, { result: 7n }])
    t.match(await refusal(client.multicall({ contracts: failing, allowFailure: false })), {
      message: /failSilently/,
    })
    const [balance, number] = await Promise.all([
      client.getBalance({ address: seedFacts.transfersTo }),
      client.readContract(contracts[0]),
    ])
    t.same([balance, number], [6n * 10n ** 18n, 7n])
  }
  const provider = new ethers.JsonRpcProvider(service.networks.test.url)
  t.teardown(() => provider.destroy())
  const abi = [
    'function aggregate(tuple(address target, bytes callData)[]) view returns (uint256, bytes[])',
    'function tryAggregate(bool, tuple(address target, bytes callData)[]) view returns (tuple(bool, bytes)[])',
    'function tryBlockAndAggregate(bool, tuple(address target, bytes callData)[]) view returns (uint256, bytes32, tuple(bool, bytes)[])',
    'function blockAndAggregate(tuple(address target, bytes callData)[]) view returns (uint256, bytes32, tuple(bool, bytes)[])',
    'function aggregate3Value(tuple(address target, bool allowFailure, uint256 value, bytes callData)[]) payable returns (tuple(bool, bytes)[])',
    'function getBlockNumber() view returns (uint256)',
    'function getEthBalance(address) view returns (uint256)',
    'function getChainId() view returns (uint256)',
  ]
  const multicall = new ethers.Contract(multicall3.address, abi, provider)
  const payer = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
  const ask = (name: string, ...params: unknown[]) => multicall.getFunction(name).staticCall(...params)
  const calls = ['number', 'failSilently'].map((name) => ({
    target: seedFacts.contract,
    callData: seedContractCall(name as 'number'),
  }))
  const word = ethers.toBeHex(7, 32)
  t.equal((await ask('aggregate', calls.slice(0, 1)))[1][0], word)
  t.same(
    (await ask('tryAggregate', false, calls)).map(([isDone]: [boolean]) => isDone),
    [true, false],
  )
  t.match(await refusal(ask('tryAggregate', true, calls)), { reason: 'Multicall3: call failed' })
  const [number, , [[, counted]]] = await ask('blockAndAggregate', calls.slice(0, 1))
  t.same([number, counted], [BigInt(await provider.getBlockNumber()), word])
  t.same(
    (await ask('tryBlockAndAggregate', false, calls))[2].map(([isDone]: [boolean]) => isDone),
    [true, false],
  )
  t.match(await refusal(ask('blockAndAggregate', calls)), { reason: 'Multicall3: call failed' })
  // The payer's own address takes any value.
  const payments = [2n, 3n].map((value) => ({ target: payer, allowFailure: false, value, callData: '0x' }))
  const paid = (value: bigint) => ask('aggregate3Value', payments, { from: payer, value })
  t.same(
    (await paid(5n)).map(([isDone]: [boolean]) => isDone),
    [true, true],
  )
  t.match(await refusal(paid(6n)), { reason: 'Multicall3: value mismatch' })
  t.equal(await ask('getChainId'), 31n)
  t.equal(await ask('getBlockNumber'), BigInt(await provider.getBlockNumber()))
  t.equal(await ask('getEthBalance', seedFacts.transfersTo), 6n * 10n ** 18n)
})

t.test('viem shows the first problem of refused parameters; calls without `to` are creations', async (t) => {
  const client = createPublicClient({ transport: http(service.networks.test.url) })
  t.match(await refusal(client.request({ method: 'eth_getBalance', params: ['0x12', 'latest'] })), {
    details: /^Invalid params: \/0 must be an address of 20 bytes/,
  })
  t.match(await refusal(client.getBalance({ address: multicall3.address, blockTag: 'finalized' })), {
    details: /: \/1 must be a block by its number/,
  })
  t.match(await client.call({ data: '0x6001600c60003960016000f3fe' }), { data: '0xfe' })
  const provider = new ethers.JsonRpcProvider(service.networks.test.url)
  t.teardown(() => provider.destroy())
  await t.rejects(provider.getBalance(multicall3.address, 'finalized'), {
    message: /could not coalesce error/,
  })
  const account = privateKeyToAccount(developmentAccounts[0].privateKey)
  const web3 = new Web3(service.networks.test.url)
  web3.eth.accounts.wallet.add(developmentAccounts[2].privateKey)
  const [from] = web3.eth.accounts.wallet
  const transfer = { from: from?.address ?? '', to: account.address, value: 1, gas: 21_000 }
  await t.rejects(web3.eth.sendTransaction(transfer))
  const receipt = await web3.eth.sendTransaction({ ...transfer, type: '0x0' })
  t.equal(receipt.status, 1n)
})
