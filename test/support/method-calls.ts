import { readFile } from 'node:fs/promises'
import type { JsonValue } from '../../src/runtime/rpc/index.js'

/** The most that one request of a method can cause, as the table of docs/reliability.md states it. */
export interface RequestBounds {
  /** Calls to nodes, without further attempts. */
  readonly nodeCalls: number
  /** Mebibytes that are read from nodes in one attempt of each call; undefined where the chain bounds them. */
  readonly nodeMebibytes: number | undefined
  /** Mebibytes that the caller receives; undefined where the chain bounds them. */
  readonly answerMebibytes: number | undefined
  /** Mebibytes of the memory budget. */
  readonly memoryMebibytes: number
}

const row = /^\| (`[^|]*) \| (\d+) \| (\d+|[^|]*[a-z][^|]*) \| (\d+|[^|]*[a-z][^|]*) \| (\d+) \|/gm

/** Reads the table, by the name of the method. */
export async function readRequestBounds(): Promise<ReadonlyMap<string, RequestBounds>> {
  const guide = await readFile(new URL('../../docs/reliability.md', import.meta.url), 'utf8')
  const number = (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined)
  return new Map(
    [...guide.matchAll(row)].flatMap(([, names = '', calls, nodes = '', answer = '', memory]) => {
      const bounds = {
        nodeCalls: Number(calls),
        nodeMebibytes: number(nodes),
        answerMebibytes: number(answer),
        memoryMebibytes: Number(memory),
      }
      return [...names.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => [name, bounds] as const)
    }),
  )
}

/** What a call is about. */
export interface CallSubject {
  readonly block: JsonValue
  readonly blockHash: string
  readonly address: string
  readonly transactionHash: string
}

/** Parameters of a method, about the subject. */
export function paramsOf(name: string, subject: CallSubject): readonly JsonValue[] {
  const { block, blockHash, address, transactionHash } = subject
  if (name === 'eth_call' || name === 'eth_estimateGas')
    return [{ from: address, to: address, gasPrice: '0x5', value: '0x1' }, block]
  if (name === 'eth_getStorageAt') return [address, '0x0', block]
  if (name === 'eth_sendRawTransaction') return [`0xc9${'80'.repeat(6)}1b0101`]
  if (name === 'eth_getTransactionReceipt' || name === 'eth_getTransactionByHash') return [transactionHash]
  if (/^eth_get(?:Block|Uncle|TransactionByBlock)/.test(name)) {
    const selected = name.includes('Hash') ? blockHash : block
    if (name.endsWith('Index')) return [selected, '0x0']
    return name.includes('Count') ? [selected] : [selected, false]
  }
  if (name === 'web3_sha3') return ['0x00']
  return /^eth_get/.test(name) && name !== 'eth_getLogs' ? [address, block] : []
}
