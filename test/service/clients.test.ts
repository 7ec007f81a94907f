import { readFileSync } from 'node:fs'
import { ethers } from 'ethers'
import t from 'tap'
import {
  type Abi,
  createPublicClient,
  createWalletClient,
  defineChain,
  getContract,
  type Hex,
  http,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { Web3 } from 'web3'
import { startService } from '../support/service.js'

const counter = JSON.parse(
  readFileSync(new URL('../fixtures/counter/counter.json', import.meta.url), 'utf8'),
) as { readonly abi: Abi; readonly bytecode: Hex }

/** The first three development accounts of anvil, one for each client, so that nonces do not collide. */
const accounts = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
] as const

const service = await startService()
t.teardown(() => service.stop())

t.test('viem reads blocks, logs, balances and receipts, and deploys and calls a contract', async (t) => {
  const { url, chainId } = service.networks.test
  const chain = defineChain({
    id: Number(chainId),
    name: 'test network',
    nativeCurrency: { name: 'coin', symbol: 'C', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  const client = createPublicClient({ chain, transport: http(url), pollingInterval: 50 })
  const account = privateKeyToAccount(accounts[0])
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
  const wallet = new ethers.Wallet(accounts[1], provider)

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
  const account = web3.eth.accounts.wallet.add(accounts[2])[0]
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
