import { developmentAccounts, seedFacts } from '../dev-chain/index.js'
import { toQuantity } from '../ethereum/index.js'
import type { OpenNetwork } from '../networks/index.js'

/** Values of the contract's examples, which exist on the public test network. Hexadecimal digits, without `0x`. */
const documented = {
  balanceCall: '70a08231000000000000000000000000a6cff9a113fa5cb934c461219e6c6ce9df3215f0',
  contract: 'a6f10b224886bce8fc263d47885f1d474a764b71',
  receiver: 'a6cff9a113fa5cb934c461219e6c6ce9df3215f0',
  sender: 'a201f1c9dbffb73559bf800f6d7517ef12ec3fce',
  blockHash: '9c8d26fcd7173afcda09df9955efa2e803c0d3e0bf110747d84605ea3c315ca8',
  block: '2a51f3',
  laterBlock: '2a51ff',
  transaction: '5abcd563885e01edcc876e5501f09603ce5ce87f6b1c5d4fb7260ab6d8de46f8',
  creation: 'a75d3482667dd3458c33e4333aaba0c596727b70af779c88e15a15cdf6ffd0f5',
} as const

/** The seed contract's getter `number()`. It replaces a token's `balanceOf`. */
const numberCall = '8381f58a'

/**
 * Creates a function that replaces the blocks, transactions and contracts of the contract's examples by those of the
 * embedded chain.
 * @param findBlock looks up a block of the embedded chain
 */
export async function developmentExamples(
  findBlock: OpenNetwork['findBlock'],
): Promise<(text: string) => string> {
  const block = await readBlock(findBlock, seedFacts.twoTransactionsWithLogsBlock)
  const creation = await readBlock(findBlock, seedFacts.contractBlock)
  const own: Readonly<Record<keyof typeof documented, string>> = {
    balanceCall: numberCall,
    contract: seedFacts.contract,
    receiver: seedFacts.contract,
    sender: developmentAccounts[1].address,
    blockHash: block.hash,
    block: toQuantity(seedFacts.twoTransactionsWithLogsBlock),
    laterBlock: toQuantity(seedFacts.head),
    transaction: block.transactions[0] ?? '',
    creation: creation.transactions[0] ?? '',
  }
  // The call comes before the address within it.
  const pairs = Object.entries(documented).map(
    ([name, digits]) => [digits, own[name as keyof typeof own]] as const,
  )
  return (text) =>
    pairs.reduce((done, [digits, value]) => done.replaceAll(digits, value.replace(/^0x/, '')), text)
}

interface SeededBlock {
  readonly hash: string
  readonly transactions: readonly string[]
}

async function readBlock(findBlock: OpenNetwork['findBlock'], number: number): Promise<SeededBlock> {
  return (await findBlock(toQuantity(number))) as unknown as SeededBlock
}
