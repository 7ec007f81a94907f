import type { JsonValue } from '../../rpc/index.js'
import { isList, isObject } from '../ethereum/hex.js'

/** The subject of a call, as the contract states it (`x-about`): pointers to parameters and into the result. */
export interface StatedSubject {
  readonly head?: true
  readonly block?: string | readonly string[]
  readonly transaction?: string
  readonly list?: string
  readonly at?: string
  readonly number?: string
  readonly hash?: string
}

/** The subject of a call: the most recent block, a block that it names, a transaction, or nothing on the chain. */
export interface CallSubject {
  readonly kind: 'head' | 'block' | 'transaction' | 'none'
  /** Reads the selector of the block, or the hash of the transaction; without one the call is about `latest`. */
  readonly selector: (params: readonly JsonValue[]) => JsonValue
  /** Position of the parameter that names the block by number or by hash; -1 where there is none that takes both. */
  readonly mixedAt: number
  /** Name of the block's list whose entries are counted, or looked up where {@link index} is known. */
  readonly list: string | undefined
  /** Reads the position of the entry that is looked up. */
  readonly index: ((params: readonly JsonValue[]) => JsonValue | undefined) | undefined
  /** Reads the number of the block out of a result. */
  readonly number: ReadResult
  /** Reads the hash of the block or transaction out of a result. */
  readonly hash: ReadResult
}

const anyHash = `0x${'0'.repeat(64)}`

type ReadResult = (result: JsonValue) => JsonValue | undefined

/** Tells whether the parameter at a position takes a value. */
type Takes = (position: number, value: JsonValue) => boolean

/**
 * Makes the readers of a subject.
 * @param names the names of the method's parameters, by position
 * @param takes tells what a parameter takes, by its schema
 */
export function callSubject(stated: StatedSubject, names: readonly string[], takes: Takes): CallSubject {
  const { head, block, transaction, list, at, number, hash } = stated
  const pointers = [block ?? transaction ?? []].flat()
  const [first = ''] = pointers
  const position = names.indexOf(first.slice(1))
  const isMixed = block !== undefined && takes(position, '0x1') && takes(position, anyHash)
  const named = block === undefined ? 'transaction' : 'block'
  return {
    kind: head === true ? 'head' : pointers.length > 0 ? named : 'none',
    selector: readSelector(pointers.map((pointer) => readParam(names, pointer))),
    mixedAt: isMixed ? position : -1,
    list,
    index: at === undefined ? undefined : readParam(names, at),
    number: readResult(number),
    hash: readResult(hash),
  }
}

/** Reads the first selector of a call, also in the form of EIP-1898. */
function readSelector(
  reads: readonly ((params: readonly JsonValue[]) => JsonValue | undefined)[],
): CallSubject['selector'] {
  return (params) => {
    for (const read of reads) {
      const value = read(params) ?? null
      if (value !== null) return isObject(value) ? (value['blockHash'] ?? value) : value
    }
    return 'latest'
  }
}

/**
 * Creates the reader of a parameter, or of a member of one.
 * @param names the names of the parameters, by position
 * @param pointer its first token names the parameter
 */
export function readParam(
  names: readonly string[],
  pointer: string,
): (params: readonly JsonValue[]) => JsonValue | undefined {
  const [name = '', ...members] = pointer.slice(1).split('/')
  const position = names.indexOf(name)
  return (params) => valueAt(params[position], members)
}

/** Creates the reader of a JSON pointer in a result. Without a pointer, it returns undefined. */
function readResult(pointer: string | undefined): ReadResult {
  if (pointer === undefined) return () => undefined
  const tokens = pointer.split('/').slice(1)
  return (result) => valueAt(result, tokens)
}

function valueAt(start: JsonValue | undefined, tokens: readonly string[]): JsonValue | undefined {
  let value = start
  for (const token of tokens) {
    if (isList(value)) value = value[Number(token)]
    else if (isObject(value)) value = value[token]
    else return undefined
  }
  return value
}
