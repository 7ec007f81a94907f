import { readFile } from 'node:fs/promises'
import { keccak_256 } from '@noble/hashes/sha3.js'
import t from 'tap'
import { privateKeyToAccount } from 'viem/accounts'
import { findAnvil } from '../../../../../src/service/gateway/dev-chain/anvil/anvil-binary.js'
import { rootstockBlock } from '../../../../../src/service/gateway/dev-chain/rootstock/rootstock-block.js'
import {
  seedContractCall,
  seedContractSelectors,
} from '../../../../../src/service/gateway/dev-chain/seed/seed-contract.js'
import { developmentAccounts } from '../../../../../src/service/gateway/index.js'

const source = new URL('../../../../../src/service/gateway/dev-chain/seed-contract.sol', import.meta.url)

t.test("the selectors match the functions in the contract's source", async (t) => {
  const functions = (await readFile(source, 'utf8')).matchAll(/function (\w+)\(([^)]*)\)/g)
  const found: Record<string, string> = {}
  for (const [, name = '', parameters = ''] of functions) {
    const types = parameters.split(',').map((parameter) => parameter.trim().split(' ')[0])
    const digest = keccak_256(Buffer.from(`${name}(${types.join(',')})`))
    found[name] = `0x${Buffer.from(digest.subarray(0, 4)).toString('hex')}`
  }
  const { number, greeting, ...rest } = seedContractSelectors
  t.strictSame(rest, found)
  t.match([number, greeting], [/^0x/, /^0x/])
  t.equal(seedContractCall('setNumber', 7), `${seedContractSelectors.setNumber}${'7'.padStart(64, '0')}`)
})

t.test('the development accounts match their keys', async (t) => {
  for (const { address, privateKey } of developmentAccounts) {
    t.equal(privateKeyToAccount(privateKey).address.toLowerCase(), address)
  }
})

t.test("a block's total difficulty is the sum of all difficulties up to it", async (t) => {
  let sum = 0n
  for (let number = 0; number < 50; number++) {
    const block = rootstockBlock({ number: `0x${number.toString(16)}`, hash: '0xaa', timestamp: '0x1' }, 0n)
    sum += BigInt(String(block['difficulty']))
    t.equal(block['totalDifficulty'], `0x${sum.toString(16)}`)
    t.equal(block['cumulativeDifficulty'], block['totalDifficulty'])
  }
})

t.test('a missing anvil is reported with instructions', async (t) => {
  t.throws(() => findAnvil('plan9', 'mips'), {
    name: 'EmbeddedChainError',
    message: /@foundry-rs\/anvil-plan9-mips, which is not installed: run npm ci .* CONCORDAT_NODES_<NETWORK>/,
  })
  t.match(findAnvil(), /anvil/)
})
