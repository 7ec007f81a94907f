import { Wallet } from 'ethers'
import t from 'tap'
import { privateKeyToAccount } from 'viem/accounts'
import { quantities } from '../../../../generated/decoded.js'
import {
  createClient,
  isRpcError,
  isTransportError,
  type Signer,
  sendTransaction,
  type UnsignedTransaction,
} from '../../../../src/service/node-access/index.js'
import {
  developmentAccounts,
  seedContractCall,
  seedContractCode,
} from '../../../support/development-chain.js'
import { caught, startOwnChain } from './own-chain.js'

const chain = await startOwnChain(t)
const client = createClient(chain.url)
const [, , , , viem, ethers, lost] = developmentAccounts.map(({ privateKey }) => privateKey)
if (viem === undefined || ethers === undefined || lost === undefined) throw new Error('too few accounts')
const account = privateKeyToAccount(viem)
const to = `0x${'cd'.repeat(20)}` as const
const often = { intervalMilliseconds: 20 }
const fails = seedContractCall('failAfter', 1) as `0x${string}`

/** A signer that counts its signatures. */
function counting(signer: Signer) {
  const signed: UnsignedTransaction[] = []
  const own: Signer = {
    address: signer.address,
    signTransaction(transaction) {
      signed.push(transaction)
      return signer.signTransaction(transaction)
    },
  }
  return { signed, own }
}

t.test('a viem account sends an amount, creates a contract and calls it', async (t) => {
  const hashes: string[] = []
  const onSent = (hash: string) => hashes.push(hash)
  const paid = await sendTransaction(client, account, { to, value: 5n }, { ...often, onSent })
  t.match(paid, { status: '0x1', to, transactionHash: hashes[0] })
  t.equal(await client.eth_getBalance(to), '0x5')
  const created = await sendTransaction(client, account, { data: seedContractCode as `0x${string}` }, often)
  t.match(created.contractAddress, /^0x[0-9a-f]{40}$/)
  const data = seedContractCall('emitLogs', 0, 3) as `0x${string}`
  const called = await sendTransaction(client, account, { to: created.contractAddress ?? to, data }, often)
  t.equal(called.logs.length, 3)
})

t.test('an ethers wallet sends, through a client with decoded values', async (t) => {
  const decoding = createClient(chain.url, { decode: quantities })
  const receipt = await sendTransaction(decoding, new Wallet(ethers), { to, value: 2n }, often)
  t.equal(receipt.gasUsed, 21_000n)
  t.equal(await decoding.eth_getBalance(to), 7n)
})

t.test('a transaction that would fail is not signed, unless simulate is false', async (t) => {
  const { own, signed } = counting(account)
  const error = await caught(sendTransaction(client, own, { to: chain.contract, data: fails }, often))
  t.ok(isRpcError(error) && error.error === 'executionReverted', String(error))
  t.equal(signed.length, 0)
  const options = { ...often, simulate: false }
  const receipt = await sendTransaction(client, own, { to: chain.contract, data: fails }, options)
  t.equal(receipt.status, '0x0')
  t.equal(signed.length, 1)
})

t.test('nonces, gas and gas prices are those that the caller gives', async (t) => {
  const { own, signed } = counting(account)
  const nonce = Number(await client.eth_getTransactionCount(account.address, 'pending'))
  const three = [0, 1, 2].map((more) =>
    sendTransaction(client, own, { to, nonce: nonce + more, gas: 30_000n, gasPrice: 70_000_000n }, often),
  )
  t.same(
    (await Promise.all(three)).map(({ status }) => status),
    ['0x1', '0x1', '0x1'],
  )
  t.same(signed.map(({ nonce }) => nonce).sort(), [nonce, nonce + 1, nonce + 2])
  for (const transaction of signed) t.match(transaction, { gas: 30_000n, gasPrice: 70_000_000n, chainId: 31 })
})

t.test('a lost answer is asked for again, and the transaction is executed once', async (t) => {
  let sent = 0
  const unreliable = createClient(chain.url, {
    async fetch(url, request) {
      const response = await fetch(url, request)
      if (!request.body.includes('eth_sendRawTransaction')) return response
      sent += 1
      if (sent > 1) return response
      await response.text()
      throw new TypeError('the connection was lost')
    },
  })
  const before = BigInt(await client.eth_getBalance(to))
  const receipt = await sendTransaction(unreliable, privateKeyToAccount(lost), { to, value: 3n }, often)
  t.equal(receipt.status, '0x1')
  t.equal(sent, 2)
  t.equal(BigInt(await client.eth_getBalance(to)), before + 3n)
})

t.test('an outage after signing rejects with the error of the transaction', async (t) => {
  let isDown = false
  const failing = createClient(chain.url, {
    retry: { attempts: 1 },
    fetch(url, request) {
      isDown ||= request.body.includes('eth_sendRawTransaction')
      return isDown ? Promise.reject(new TypeError('the network is down')) : fetch(url, request)
    },
  })
  const error = await caught(sendTransaction(failing, account, { to, value: 1n }, often))
  t.ok(isTransportError(error, 'network'), String(error))
  t.match(error, { method: 'eth_sendRawTransaction' })
})

t.test('an aborted signal rejects with its reason, and nothing is signed', async (t) => {
  const { own, signed } = counting(account)
  const reason = new Error('not any more')
  const signal = AbortSignal.abort(reason)
  t.equal(await caught(sendTransaction(client, own, { to, value: 1n }, { signal })), reason)
  t.equal(signed.length, 0)
})
