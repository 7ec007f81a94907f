import * as wagmi from '@wagmi/core'
import { ethers } from 'ethers'
import t from 'tap'
import { createPublicClient, createWalletClient, custom, defineChain } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createClient, createProvider } from '../../../../src/service/node-access/index.js'
import { counter } from '../../../support/counter.js'
import { developmentAccounts } from '../../../support/development-chain.js'
import { service } from './service.js'

const chain = defineChain({
  id: 31,
  name: 'test network',
  nativeCurrency: { name: 'coin', symbol: 'C', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})

t.test('viem works with the provider: reads, a deployment, logs, and a revert with its reason', async (t) => {
  const transport = custom(createProvider(service.networks.test.url))
  const client = createPublicClient({ chain, transport, pollingInterval: 50 })
  const account = privateKeyToAccount(developmentAccounts[3].privateKey)
  const wallet = createWalletClient({ account, chain, transport })

  t.equal(await client.getChainId(), 31)
  const block = await client.getBlock({ includeTransactions: true })
  t.equal((await client.getBlock({ blockHash: block.hash })).number, block.number)
  t.ok((await client.getBalance({ address: account.address })) > 0n)

  const deployment = await wallet.deployContract({ ...counter, args: [40n], type: 'legacy' })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployment })
  if (!contractAddress) return t.fail('a contract was created')
  const contract = { ...counter, address: contractAddress } as const
  const hash = await wallet.writeContract({
    ...contract,
    functionName: 'increase',
    args: [2n],
    type: 'legacy',
  })
  const receipt = await client.waitForTransactionReceipt({ hash })
  t.equal(receipt.status, 'success')
  t.equal(await client.readContract({ ...contract, functionName: 'count' }), 42n)
  const logs = await client.getLogs({ address: contractAddress, fromBlock: receipt.blockNumber })
  t.equal(logs[0]?.transactionHash, hash)
  await t.rejects(client.simulateContract({ ...contract, functionName: 'increase', args: [0n] }), {
    name: 'ContractFunctionExecutionError',
    message: /reverted with the following reason:\s+nothing to add/,
  })
})

t.test(
  'ethers works with the provider: reads, a signed transaction, logs, and a revert with its reason',
  async (t) => {
    const provider = new ethers.BrowserProvider(
      createProvider(createClient(service.networks.main.url)),
      undefined,
      { pollingInterval: 50, cacheTimeout: -1 },
    )
    t.teardown(() => provider.destroy())
    const wallet = new ethers.Wallet(developmentAccounts[4].privateKey, provider)

    t.equal((await provider.getNetwork()).chainId, 30n)
    const block = await provider.getBlock('latest', true)
    t.equal((await provider.getBlock(block?.hash ?? ''))?.number, block?.number)
    const sent = await wallet.sendTransaction({ to: ethers.ZeroAddress, value: 7n, type: 0 })
    t.equal((await sent.wait())?.status, 1)
    t.equal((await provider.getTransaction(sent.hash))?.value, 7n)

    const factory = new ethers.ContractFactory(counter.abi as ethers.InterfaceAbi, counter.bytecode, wallet)
    const contract = (await (await factory.deploy(1n, { type: 0 })).waitForDeployment()) as ethers.Contract
    await (await contract.getFunction('increase').send(4n, { type: 0 })).wait()
    t.equal(await contract.getFunction('count').staticCall(), 5n)
    t.equal((await contract.queryFilter('Increased', 0)).length, 1)
    await t.rejects(contract.getFunction('increase').staticCall(0n), {
      code: 'CALL_EXCEPTION',
      reason: 'nothing to add',
    })
    t.equal(await provider.getTransactionReceipt(`0x${'ab'.repeat(32)}`), null)
  },
)

t.test(
  "wagmi's injected connector connects with an account, and wagmi's actions read through it",
  async (t) => {
    // The connector is for browsers.
    t.intercept(globalThis as { window?: unknown }, 'window', { value: new EventTarget() })
    const client = createClient(service.networks.test.url)
    const { address } = privateKeyToAccount(developmentAccounts[3].privateKey)
    const provider = createProvider(client, { accounts: [address] })
    const target = { id: 'concordat', name: 'Concordat', provider: provider as never }
    const config = wagmi.createConfig({
      chains: [chain],
      connectors: [wagmi.injected({ target, shimDisconnect: false })],
      transports: { [chain.id]: custom(provider) },
      storage: null,
    })
    const [connector] = config.connectors
    if (!connector) return t.fail('wagmi has the connector')
    t.match(await wagmi.connect(config, { connector }), { accounts: [address], chainId: 31 })
    t.match(wagmi.getConnection(config), { status: 'connected', address, chainId: 31 })
    t.equal(
      (await wagmi.getBalance(config, { address })).value,
      BigInt(await client.eth_getBalance(address, 'latest')),
    )
    t.equal((await wagmi.getBlock(config, { blockNumber: 1n })).number, 1n)
    const unsigned = { account: address, to: address, value: 1n, type: 'legacy' } as const
    await t.rejects(wagmi.sendTransaction(config, unsigned), {
      cause: { name: 'MethodNotFoundRpcError' },
    })
    await wagmi.disconnect(config)
    t.equal(wagmi.getConnection(config).status, 'disconnected')

    const without = createProvider(client)
    t.same(await without.request({ method: 'eth_accounts' }), [], "the service's own answer")
  },
)

t.test('errors keep code, message and data, and an unknown method is sent unchanged', async (t) => {
  const provider = createProvider(service.networks.test.url)
  t.equal(await provider.request({ method: 'eth_chainId' }), '0x1f')
  t.equal(await provider.request({ method: 'eth_chainId', params: [] }), '0x1f')
  const caught = (method: string, params?: readonly unknown[]) =>
    provider.request({ method, params }).then(
      () => undefined,
      (error: unknown) => error,
    )
  t.match(await caught('eth_requestAccounts'), { code: -32601, error: 'methodNotFound' })
  const error = await caught('eth_getBalance', ['0x12', 'latest'])
  t.ok(error instanceof Error)
  const message = /^Invalid params: \/0 must be an address of 20 bytes/
  t.match(error, { code: -32602, message, data: [{ path: '/0', rule: 'pattern' }] })
  t.match(
    await caught('eth_getBalance', [`0x${'ab'.repeat(20)}`, 'latest', { timeoutMilliseconds: 1 }]),
    { code: -32602 },
    'parameters are sent unchanged: none is taken for options',
  )
})

t.test('a copy of a client works in a provider', async (t) => {
  const provider = createProvider({ ...createClient(service.networks.test.url) })
  t.equal(await provider.request({ method: 'eth_chainId' }), '0x1f')
})

t.test('event listeners can be added, and are never called', async (t) => {
  const provider = createProvider(service.networks.test.url)
  const listener = () => t.fail('an event was emitted')
  t.equal(provider.on('chainChanged', listener), provider)
  t.equal(provider.removeListener('chainChanged', listener), provider)
})
