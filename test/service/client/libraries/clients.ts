import { ethers } from 'ethers'
import t from 'tap'
import { createPublicClient, createWalletClient, defineChain, getContract, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { Web3 } from 'web3'
import { counter } from '../../../support/counter.js'
import { developmentAccounts, seedContractCall, seedFacts } from '../../../support/development-chain.js'
import { service } from './service.js'

t.test('viem reads blocks, logs, balances and receipts, and deploys and calls a contract', async (t) => {
  const { url, chainId } = service.networks.test
  const chain = defineChain({
    id: Number(chainId),
    name: 'test network',
    nativeCurrency: { name: 'coin', symbol: 'C', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  const client = createPublicClient({ chain, transport: http(url), pollingInterval: 50 })
  const account = privateKeyToAccount(developmentAccounts[0].privateKey)
  const wallet = createWalletClient({ account, chain, transport: http(url) })

  t.equal(await client.getChainId(), 31)
  const block = await client.getBlock({ includeTransactions: true })
  t.ok(block.number > 2_100n)
  t.equal((await client.getBlock({ blockHash: block.hash })).number, block.number)
  const balance = await client.getBalance({ address: account.address })
  t.ok(balance > 0n)

  const deployment = await wallet.deployContract({ ...counter, account, args: [40n], type: 'legacy' })
  const { contractAddress, status } = await client.waitForTransactionReceipt({ hash: deployment })
  t.equal(status, 'success')
  t.ok(contractAddress)
  if (!contractAddress) return
  const contract = getContract({
    abi: counter.abi,
    address: contractAddress,
    client: { public: client, wallet },
  })
  t.equal(await contract.read['count']?.(), 40n)
  const hash = await wallet.writeContract({
    ...counter,
    address: contractAddress,
    functionName: 'increase',
    args: [2n],
    type: 'legacy',
  })
  const receipt = await client.waitForTransactionReceipt({ hash })
  t.equal(receipt.status, 'success')
  t.equal(await contract.read['count']?.(), 42n)

  const logs = await client.getLogs({ address: contractAddress, fromBlock: receipt.blockNumber })
  t.equal(logs.length, 1)
  t.equal(logs[0]?.transactionHash, hash)
  t.equal((await client.getTransaction({ hash })).from, account.address.toLowerCase())
  const spent = await client.getBalance({ address: account.address })
  t.ok(spent < balance, 'the sender paid')

  await t.rejects(
    client.simulateContract({ ...counter, address: contractAddress, functionName: 'increase', args: [0n] }),
    { message: /nothing to add/ },
    'a revert’s reason reaches the caller',
  )
  await t.rejects(client.getTransactionReceipt({ hash: `0x${'ab'.repeat(32)}` }), {
    name: 'TransactionReceiptNotFoundError',
  })
  await t.rejects(
    client.getBalance({ address: account.address, blockNumber: 99_999_999n }),
    /-32001|not found/i,
  )
})

t.test('ethers reads blocks, logs, balances and receipts, and sends a signed transaction', async (t) => {
  const { url } = service.networks.main
  const provider = new ethers.JsonRpcProvider(url, undefined, { pollingInterval: 50, cacheTimeout: -1 })
  t.teardown(() => provider.destroy())
  const wallet = new ethers.Wallet(developmentAccounts[1].privateKey, provider)

  t.equal((await provider.getNetwork()).chainId, 30n)
  const block = await provider.getBlock('latest', true)
  t.ok(block)
  t.equal((await provider.getBlock(block?.hash ?? ''))?.number, block?.number)
  const before = await provider.getBalance(wallet.address)
  const sent = await wallet.sendTransaction({ to: ethers.ZeroAddress, value: 7n, type: 0 })
  const receipt = await sent.wait()
  t.equal(receipt?.status, 1)
  t.equal(receipt?.hash, sent.hash)
  t.equal((await provider.getTransaction(sent.hash))?.value, 7n)
  t.ok((await provider.getBalance(wallet.address)) < before - 7n)
  t.ok((await provider.getBalance(ethers.ZeroAddress)) >= 7n)

  const factory = new ethers.ContractFactory(counter.abi as ethers.InterfaceAbi, counter.bytecode, wallet)
  const contract = (await (await factory.deploy(1n, { type: 0 })).waitForDeployment()) as ethers.Contract
  await (await contract.getFunction('increase').send(4n, { type: 0 })).wait()
  t.equal(await contract.getFunction('count').staticCall(), 5n)
  const logs = await contract.queryFilter('Increased', 0)
  t.equal(logs.length, 1)
  await t.rejects(contract.getFunction('increase').staticCall(0n), { message: /nothing to add/ })
  t.equal(await provider.getTransactionReceipt(`0x${'ab'.repeat(32)}`), null)
})

t.test('web3.js deploys a contract, calls it and reads its log', async (t) => {
  const web3 = new Web3(service.networks.test.url)
  web3.transactionPollingInterval = 50
  const account = web3.eth.accounts.wallet.add(developmentAccounts[2].privateKey)[0]
  t.ok(account)
  const from = account?.address ?? ''
  const gasPrice = (await web3.eth.getGasPrice()).toString()

  const prepared = new web3.eth.Contract([...counter.abi] as never[]).deploy({
    data: counter.bytecode,
    arguments: [10],
  } as never)
  const gas = await prepared.estimateGas({ from })
  t.ok(gas > 21_000n)
  const contract = await prepared.send({ from, gas: gas.toString(), gasPrice, type: '0x0' } as never)
  t.match(contract.options.address, /^0x[0-9a-fA-F]{40}$/)
  const methods = contract.methods as unknown as {
    count(): { call(): Promise<bigint> }
    increase(by: number): { send(options: object): Promise<{ status: bigint; blockNumber: bigint }> }
  }
  const receipt = await methods.increase(5).send({ from, gasPrice, gas: '100000', type: '0x0' })
  t.equal(receipt.status, 1n)
  t.equal(await methods.count().call(), 15n)
  const logs = await web3.eth.getPastLogs({
    ...(contract.options.address === undefined ? {} : { address: contract.options.address }),
    fromBlock: receipt.blockNumber,
  })
  t.equal(logs.length, 1)
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
    details: /^Invalid params: \/0 must be an AddressInput/,
  })
  t.match(await refusal(client.getBalance({ address: multicall3.address, blockTag: 'finalized' })), {
    details: /: \/1 must be a StateSelector/,
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
