import type { extensions } from '../../../generated/contract.js'
import { type MethodName, methods } from '../../../generated/methods.js'
import type { JsonValue, MethodDescriptor } from '../../rpc/index.js'
import { type CallSubject, callSubject, type StatedSubject } from './call-subject.js'
import { nodeCalls, placeholder, type StatedNodeCall } from './node-calls.js'

/** What the service knows of a method: all of it from the contract. */
export interface MethodProfile {
  readonly name: string
  readonly about: CallSubject
  /** What null means: there is no such object, nothing is there in a state, or nothing that is known. */
  readonly missing: 'object' | 'state' | undefined
  /** The result in place of null, where null is no result (`x-empty`). */
  readonly empty: JsonValue
  /** How long an answer is kept (`x-cache`). */
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

/** What the contract states of every network (`x-networks`). */
export type NetworkTerms = Readonly<Record<keyof Networks[keyof Networks], JsonValue>>

/** A method that states what the service must know of it; one that does not, does not compile. */
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

/** The profile of a method that nothing is known of asks for most: the most recent block, alone, each time anew. */
const unlisted = ownProfile({ method: '', params: [] })

/** What the service knows of a method; calls of one that the contract does not name are the most demanding ones. */
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

/** What is known of a call that the service makes itself: `{block}` is looked up, the state of `{state}` is read. */
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
