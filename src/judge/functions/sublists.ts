import { toQuantity } from '../../toolkit/contract/index.js'
import type { ChainFunction, JsonValue } from './chain-function.js'
import { amountOf, listOf, objectOf, textOf } from './input.js'

/** Minimum number of hashes that `lastOfSublists` returns. */
const fewestHashes = 5

/** The positions in a block at which a sublist ends and the next one begins; none where the network has no sublists. */
const edgesOf = (block: JsonValue | undefined): readonly number[] => {
  const { rskPteEdges } = objectOf(block, 'the block')
  return listOf(rskPteEdges ?? [], 'rskPteEdges').map((edge) => Number(amountOf(edge, 'each edge')))
}

/**
 * Lists the hash of the last transaction of each sublist of a block: `lastOfSublists(block)`. Rootstock runs the
 * sublists in parallel (RSKIP144, `rskPteEdges`). Other networks have one, the whole block. The list has at
 * least five entries, because cases ask for five receipts in a batch: the last hash is repeated.
 */
export const lastOfSublists: ChainFunction = ([block]) => {
  const { transactions } = objectOf(block, 'the block')
  const hashes = listOf(transactions, 'transactions').map((hash) => textOf(hash, 'each transaction'))
  const last = hashes.at(-1)
  if (last === undefined) return []
  const ends = edgesOf(block).flatMap((edge) => hashes[edge - 1] ?? [])
  return [...ends, ...Array.from({ length: Math.max(1, fewestHashes - ends.length) }, () => last)]
}

/**
 * Returns the gas to which the gas of a transaction adds: `gasBefore(block, position, cumulativeGas)`. This is the
 * cumulative gas of the previous transaction, or zero at the beginning of a sublist.
 */
export const gasBefore: ChainFunction = ([block, position, cumulativeGas]) =>
  edgesOf(block).includes(Number(amountOf(position, 'the position')))
    ? '0x0'
    : toQuantity(amountOf(cumulativeGas, 'the cumulative gas'))

/** Adds a member of objects, those with an equal other member once: `sumOnce(list, 'transactionHash', 'gasUsed')`. */
export const sumOnce: ChainFunction = ([list, key, member]) => {
  const [keyName, name] = [textOf(key, 'the key'), textOf(member, 'the member')]
  const objects = listOf(list, 'the list').map((value) => objectOf(value, 'each value of the list'))
  const distinct = new Map(objects.map((object) => [object[keyName], amountOf(object[name], name)]))
  return toQuantity([...distinct.values()].reduce((sum, value) => sum + value, 0n))
}
