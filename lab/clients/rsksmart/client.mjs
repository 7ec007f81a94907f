import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { ethers } from 'ethers'
import { privateKey, rpcUrl, step, version } from '../step.mjs'

const require = createRequire(import.meta.url)
const { toChecksumAddress } = require('@rsksmart/rsk-utils')
const { createTransaction } = require('@rsksmart/rlogin-transactions')
const { AddrResolver, RNS } = require('@rsksmart/rns-sdk')
const HttpProvider = require('ethjs-provider-http')
const Eth = require('ethjs-query')

version(require('@rsksmart/rns-sdk/package.json').version)
const provider = new ethers.providers.StaticJsonRpcProvider(rpcUrl, 31)
provider.pollingInterval = 200
const wallet = new ethers.Wallet(privateKey, provider)
const domain = 'integrator.rsk'
let registry

await step('deploys a contract', {
  '': async () => {
    // The contract answers every call with its own address, like a registry that is its own resolver.
    const code = '0x683060005260206000f360005260096017f3'
    registry = await (await wallet.sendTransaction({ data: code })).wait()
    assert.equal(registry.status, 1)
  },
})
const resolves = async (node) => {
  const { contractAddress } = registry
  assert.equal(await new AddrResolver(contractAddress, node).addr(domain), contractAddress)
}
await step('resolves a name (`rns-sdk`)', {
  '': () => resolves(rpcUrl),
  'a signer of ethers 5 in place of the URL, because the package is a bundle for browsers': () =>
    resolves(wallet),
})
await step('reads the owner of a name (`rns-sdk`)', {
  '': async () => {
    const { contractAddress } = registry
    assert.equal(await new RNS(contractAddress, wallet).getOwner(domain), contractAddress)
  },
})
await step('sends a transaction and waits', {
  '': async () => {
    const rns = new RNS(registry.contractAddress, wallet)
    assert.equal((await (await rns.setOwner(domain, wallet.address)).wait()).status, 1)
  },
})
await step('fills in a transaction (`rlogin-transactions`)', {
  '': async () => {
    const filled = await createTransaction(new Eth(new HttpProvider(rpcUrl)), wallet.address, {
      from: wallet.address,
      to: registry.contractAddress,
      value: 0,
    })
    const { from, ...transaction } = filled
    const signed = await wallet.signTransaction({ ...transaction, chainId: 31 })
    assert.equal((await (await provider.sendTransaction(signed)).wait()).status, 1)
    assert.equal(from, wallet.address.toLowerCase())
  },
})
await step('sends an address with the checksum of Rootstock (`rsk-utils`)', {
  '': async () => {
    const address = toChecksumAddress(wallet.address, 31)
    assert.notEqual(address, wallet.address)
    assert.ok(BigInt(await provider.send('eth_getBalance', [address, 'latest'])) > 0n)
  },
})
await step('calls by such an address in ethers', {
  '': async () => assert.ok((await provider.getBalance(toChecksumAddress(wallet.address, 31))).gt(0)),
  '`toLowerCase()` of the address, because ethers verifies the checksum of Ethereum': async () =>
    assert.ok((await provider.getBalance(toChecksumAddress(wallet.address, 31).toLowerCase())).gt(0)),
})
