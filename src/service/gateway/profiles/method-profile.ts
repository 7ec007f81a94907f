import type { extensions } from '@concordat/node-access-contract/contract'
import { type MethodName, methods } from '@concordat/node-access-contract/methods'
import type { JsonValue, MethodDescriptor } from '@concordat/rpc'
import { isList, isObject } from '../ethereum/index.js'
import { nodeCalls, placeholder, type StatedNodeCall } from './node-calls.js'

/** The properties of a method that the service needs, all from the contract. */
export interface MethodProfile {
  readonly name: string
  readonly about: CallSubject
  /**
   * The meaning of a null result: a missing object, empty state, or undefined when the contract does not say.
   */
  readonly missing: 'object' | 'state' | undefined
  /** The replacement for a null result, for methods whose result cannot be null (`x-empty`). */
  readonly empty: JsonValue
  /** How long an answer is cached (`x-cache`). */
  readonly cache: 'final' | 'head' | 'never'
  /** True for a call that may change the chain (`x-effect`). */
  readonly writes: boolean
  /** True for a call of constant cost, which may be batched (`x-batchable`). */
  readonly isSmall: boolean
}

/** The source of a method's answers (`x-answer`). */
export type StatedAnswer =
  | 'node'
  | 'code'
  | { readonly network: keyof NetworkTerms }
  | { readonly constant: JsonValue }

/**
 * Location of contract addresses in a call (`x-contract-addresses`): a parameter, a member of a parameter, or
 * a signed transaction.
 */
export type ContractPlace = string | { readonly receiverOf: string }

type Networks = (typeof extensions)['x-networks']

/** A network as the contract states it (`x-networks`). */
export type NetworkTerms = Readonly<Record<keyof Networks[keyof Networks], JsonValue>>

/** A method with all extensions that the service needs. A missing extension is a compile error. */
interface StatedMethod extends Omit<MethodDescriptor, 'extensions'> {
  readonly errors: readonly string[]
  readonly extensions: {
    readonly 'x-about': StatedSubject
    readonly 'x-answer': StatedAnswer
    readonly 'x-batchable': boolean
    readonly 'x-contract-addresses': readonly ContractPlace[]
    readonly 'x-cache': MethodProfile['cache']
    readonly 'x-effect': 'read' | 'write'
    readonly 'x-empty'?: JsonValue
    readonly 'x-lookup': boolean
  }
}

/** The methods of the contract, as the service reads them. */
export const statedMethods: Readonly<Record<MethodName, StatedMethod>> = methods

const anyHash = `0x${'0'.repeat(64)}`

/** Profiles of the contract's methods, and of the methods in the service's own node calls. */
const profiles: ReadonlyMap<string, MethodProfile> = new Map(
  [
    ...Object.values<StatedNodeCall>(nodeCalls).map(ownProfile),
    ...Object.values(statedMethods).map(contractProfile),
  ].map((profile) => [profile.name, profile]),
)

/** The profile of an unknown method is the strictest one: newest block, not batched, never cached. */
const unlisted = ownProfile({ method: '', params: [] })

/** Returns the profile of a method; unknown methods get the strictest profile. */
export const profileOf = (method: string): MethodProfile => profiles.get(method) ?? unlisted

function contractProfile({ name, params, errors, extensions, validateParams }: StatedMethod): MethodProfile {
  const takes = (position: number, value: JsonValue) => {
    const probe = params.map((_, at) => (at === position ? value : null))
    return position >= 0 && !validateParams(probe).some(({ path }) => path === `/${position}`)
  }
  const names = params.map((param) => param.name)
  const missingBlock = errors.includes('blockNotFound') ? 'state' : undefined
  return {
    name,
    about: callSubject(extensions['x-about'], names, takes),
    missing: extensions['x-lookup'] ? 'object' : missingBlock,
    empty: extensions['x-empty'] ?? null,
    cache: extensions['x-cache'],
    writes: extensions['x-effect'] === 'write',
    isSmall: extensions['x-batchable'],
  }
}

/** Creates the profile of the service's own call: `{block}` marks a lookup, `{state}` a read of state. */
function ownProfile({ method, params }: StatedNodeCall): MethodProfile {
  const names = params.map((param) => placeholder(param) ?? '')
  const selector = (['block', 'state'] as const).find((name) => names.includes(name))
  const other: StatedSubject = names.includes('transaction') ? {} : { head: true }
  return {
    name: method,
    about: callSubject(selector === undefined ? other : { block: `/${selector}` }, names, () => false),
    missing: selector === 'block' ? 'object' : selector,
    empty: null,
    cache: 'never',
    writes: false,
    isSmall: false,
  }
}

/**
 * The subject of a call, as the contract states it (`x-about`): pointers to parameters and into the result.
 */
export interface StatedSubject {
  readonly head?: true
  readonly block?: string | readonly string[]
  readonly transaction?: string
  readonly list?: string
  readonly at?: string
  readonly number?: string
  readonly hash?: string
}

/** The subject of a call: the most recent block, a named block, a transaction, or nothing on the chain. */
export interface CallSubject {
  readonly kind: 'head' | 'block' | 'transaction' | 'none'
  /** Reads the block selector or the transaction hash; the default is `latest`. */
  readonly selector: (params: readonly JsonValue[]) => JsonValue
  /**
   * Position of the parameter that accepts a block number or a block hash; -1 if there is no such parameter.
   */
  readonly mixedAt: number
  /**
   * Name of the block's list that is counted; if {@link index} exists, an entry of this list is looked up
   * instead.
   */
  readonly list: string | undefined
  /** Reads the index of the entry to look up. */
  readonly index: ((params: readonly JsonValue[]) => JsonValue | undefined) | undefined
  /** Reads the block number from a result. */
  readonly number: ReadResult
  /** Reads the hash of the block or transaction from a result. */
  readonly hash: ReadResult
}

type ReadResult = (result: JsonValue) => JsonValue | undefined

/** Returns whether the parameter at a position accepts a value. */
type Takes = (position: number, value: JsonValue) => boolean

/**
 * Creates the readers of a subject.
 * @param names the names of the method's parameters, by position
 * @param takes returns whether a parameter accepts a value, by its schema
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

/** Reads the first selector of a call, including the form of EIP-1898. */
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
 * Creates the reader of a parameter, or of a member of a parameter.
 * @param names the names of the parameters, by position
 * @param pointer a JSON pointer whose first token is the name of the parameter
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
