import { ethers } from 'ethers'
import t from 'tap'
import { createPublicClient, createWalletClient, defineChain, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { Web3 } from 'web3'
import { counter } from '../support/counter.js'
import { developmentAccounts } from '../support/development-chain.js'
import { call, startService } from '../support/service.js'
import { startTwinAnvils } from '../support/twin-anvils.js'
import { until } from '../support/until.js'

const [first, second] = await startTwinAnvils(31)
const service = await startService({
  env: { CONCORDAT_NODES_TEST: `${first.url},${second.url}`, CONCORDAT_LOG_LEVEL: 'silent' },
})
t.teardown(async () => {
  await service.stop()
  await first.kill()
  await second.kill()
})
const { url } = service.networks.test

/** Actions of a client before and after a node is killed. */
interface Session {
  begin(): Promise<void>
  goOn(): Promise<void>
}

/** viem without retries. */
function viemSession(): Session {
  const chain = defineChain({
    id: 31,
    name: 'test network',
    nativeCurrency: { name: 'coin', symbol: 'C', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  const transport = http(url, { retryCount: 0 })
  const client = createPublicClient({ chain, transport, pollingInterval: 50 })
  const account = privateKeyToAccount(developmentAccounts[0].privateKey)
  const wallet = createWalletClient({ account, chain, transport })
  let address: Hex = '0x'
  return {
    async begin() {
      const hash = await wallet.deployContract({ ...counter, account, args: [40n], type: 'legacy' })
      const { contractAddress } = await client.waitForTransactionReceipt({ hash })
      address = contractAddress ?? '0x'
    },
    async goOn() {
      const contract = { abi: counter.abi, address }
      t.equal(await client.readContract({ ...contract, functionName: 'count' }), 40n)
      const gas = await client.estimateContractGas({
        ...contract,
        functionName: 'increase',
        args: [2n],
        account,
      })
      t.ok(gas > 21_000n)
      const hash = await wallet.writeContract({
        ...contract,
        functionName: 'increase',
        args: [2n],
        type: 'legacy',
      })
      const receipt = await client.waitForTransactionReceipt({ hash })
      t.equal(receipt.status, 'success')
      t.equal(await client.readContract({ ...contract, functionName: 'count' }), 42n)
      t.equal((await client.getLogs({ address, fromBlock: 0n })).length, 1)
      t.equal((await client.getBlock()).number, await client.getBlockNumber())
      await t.rejects(client.simulateContract({ ...contract, functionName: 'increase', args: [0n] }), {
        message: /nothing to add/,
      })
    },
  }
}

function ethersSession(): Session {
  const provider = new ethers.JsonRpcProvider(url, 31, {
    pollingInterval: 50,
    cacheTimeout: -1,
    staticNetwork: true,
  })
  t.teardown(() => provider.destroy())
  const wallet = new ethers.Wallet(developmentAccounts[1].privateKey, provider)
  let contract: ethers.Contract
  return {
    async begin() {
      const factory = new ethers.ContractFactory(counter.abi as ethers.InterfaceAbi, counter.bytecode, wallet)
      contract = (await (await factory.deploy(1n, { type: 0 })).waitForDeployment()) as ethers.Contract
    },
    async goOn() {
      t.equal(await contract.getFunction('count').staticCall(), 1n)
      const increase = contract.getFunction('increase')
      t.ok((await increase.estimateGas(4n)) > 21_000n)
      const receipt = await (await increase.send(4n, { type: 0 })).wait()
      t.equal(receipt?.status, 1)
      t.equal(await contract.getFunction('count').staticCall(), 5n)
      t.equal((await contract.queryFilter('Increased', 0)).length, 1)
      t.equal((await provider.getTransactionReceipt(receipt?.hash ?? ''))?.blockNumber, receipt?.blockNumber)
    },
  }
}

function web3Session(): Session {
  const web3 = new Web3(url)
  web3.transactionPollingInterval = 50
  const from = web3.eth.accounts.wallet.add(developmentAccounts[2].privateKey)[0]?.address ?? ''
  let address: string | undefined
  const contract = () => {
    const { methods } = new web3.eth.Contract([...counter.abi] as never[], address)
    return methods as unknown as {
      count(): { call(): Promise<bigint> }
      increase(by: number): {
        estimateGas(options: object): Promise<bigint>
        send(options: object): Promise<{ status: bigint; transactionHash: string }>
      }
    }
  }
  return {
    async begin() {
      const gasPrice = (await web3.eth.getGasPrice()).toString()
      const prepared = new web3.eth.Contract([...counter.abi] as never[]).deploy({
        data: counter.bytecode,
        arguments: [10],
      } as never)
      const gas = (await prepared.estimateGas({ from })).toString()
      const deployed = await prepared.send({ from, gas, gasPrice, type: '0x0' } as never)
      address = deployed.options.address
    },
    async goOn() {
      const gasPrice = (await web3.eth.getGasPrice()).toString()
      t.equal(await contract().count().call(), 10n)
      t.ok((await contract().increase(5).estimateGas({ from })) > 21_000n)
      const { status, transactionHash } = await contract()
        .increase(5)
        .send({ from, gasPrice, gas: '100000', type: '0x0' })
      t.equal(status, 1n)
      t.equal(await contract().count().call(), 15n)
      t.equal((await web3.eth.getTransactionReceipt(transactionHash)).status, 1n)
      t.equal((await web3.eth.getPastLogs({ address: address ?? '', fromBlock: 0 })).length, 1)
    },
  }
}

t.test('viem, ethers and web3.js continue their sessions when one of two nodes is killed', async (t) => {
  const sessions = [viemSession(), ethersSession(), web3Session()]
  for (const session of sessions) await session.begin()
  // The least busy node is chosen, at random when idle. Reads continue until both were used.
  for (let n = 1; Math.min(first.calls, second.calls) <= 10; n += 1)
    await call(url, 'eth_getBalance', `0x${n.toString(16).padStart(40, '0')}`, 'latest')

  let isOver = false
  const heads: number[] = []
  const readOn = async () => {
    let last = 0
    while (!isOver) {
      const head = Number(await call(url, 'eth_blockNumber'))
      if (head < last) t.fail(`the head went back from ${last} to ${head}`)
      last = head
      heads.push(head)
      await call(url, 'eth_getBalance', `0x${'0'.repeat(40)}`, 'latest')
    }
  }
  const readers = [readOn(), readOn(), readOn(), readOn()]
  const before = heads.length
  await Promise.race([...readers, until(() => heads.length >= before + 20)])
  const killed = first.kill()
  for (const session of sessions) await session.goOn()
  await killed
  await Promise.race([...readers, until(() => heads.length > 100)])
  isOver = true
  await Promise.all(readers)
  t.comment(`${heads.length} reads while a node is killed, all of them answered`)
})

t.test('only the killed node is not ready, and the service is', async (t) => {
  t.equal((await fetch(`${service.origin}/readyz`)).status, 200)
})
