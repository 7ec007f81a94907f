import type { extensions } from '../../../generated/contract.js'
import { type MethodName, methods } from '../../../generated/methods.js'
import type { JsonValue, MethodDescriptor } from '../../rpc/index.js'
import { type CallSubject, callSubject, type StatedSubject } from './call-subject.js'
import { nodeCalls, placeholder, type StatedNodeCall } from './node-calls.js'

/** The properties of a method that the service needs, all from the contract. */
export interface MethodProfile {
  readonly name: string
  readonly about: CallSubject
  /** The meaning of a null result: a missing object, empty state, or undefined when the contract does not say. */
  readonly missing: 'object' | 'state' | undefined
  /** The result in place of null, where null is no result (`x-empty`). */
  readonly empty: JsonValue
  /** How long an answer is cached (`x-cache`). */
  readonly cache: 'final' | 'head' | 'never'
  /** True for a call that may change the chain (`x-effect`). */
  readonly writes: boolean
  /** True for a call of constant cost, which may travel with others (`x-batchable`). */
  readonly isSmall: boolean
}

/** Who answers a method (`x-answer`). */
export type StatedAnswer =
  | 'node'
  | 'code'
  | { readonly network: keyof NetworkTerms }
  | { readonly constant: JsonValue }

/** Where a call names contracts (`x-contract-addresses`): a parameter, a member of one, or a signed transaction. */
export type ContractPlace = string | { readonly receiverOf: string }

type Networks = (typeof extensions)['x-networks']

/** A network as the contract states it (`x-networks`). */
export type NetworkTerms = Readonly<Record<keyof Networks[keyof Networks], JsonValue>>

/** A method with all extensions that the service needs. A method without one of them does not compile. */
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

/** The methods of the contract, and those of the calls that the service makes itself beside them. */
const profiles: ReadonlyMap<string, MethodProfile> = new Map(
  [
    ...Object.values<StatedNodeCall>(nodeCalls).map(ownProfile),
    ...Object.values(statedMethods).map(contractProfile),
  ].map((profile) => [profile.name, profile]),
)

/** The profile of an unknown method is the strictest one: newest block, not batched, never cached. */
const unlisted = ownProfile({ method: '', params: [] })

/** Returns the profile of a method; the strictest one for a method that the contract does not name. */
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

/** The profile of a call that the service makes itself: `{block}` marks a lookup, `{state}` a read of state. */
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
