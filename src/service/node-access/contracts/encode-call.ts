import type { Data } from '@concordat/node-access-contract/types'
import { encode as encodeConstructor } from 'ox/AbiConstructor'
import { type AbiFunction, encodeData, fromAbi } from 'ox/AbiFunction'
import type { Parameter } from 'ox/AbiParameters'
import {
  type Abi,
  type ArgumentsOf,
  type FunctionCall,
  type FunctionName,
  itemsOf,
  type NoArguments,
  type Values,
} from './abi.js'

/**
 * Encodes a call for sending: `sendTransaction(client, signer, { to, data: encodeCall({ … }) })`.
 * @param call the ABI, the function and its arguments
 * @returns the data of the transaction
 * @throws TypeError if the ABI has no such function, or an argument does not fit
 */
export function encodeCall<
  const Contract extends Abi,
  Name extends FunctionName<Contract>,
  const Given extends ArgumentsOf<Contract, Name> = NoArguments<Contract, Name>,
>(call: FunctionCall<Contract, Name, Given>): Data {
  return encodedCall(call as AnyCall).data
}

/** A call of any contract. */
export interface AnyCall {
  readonly abi: Abi
  readonly functionName: string
  readonly args?: readonly unknown[]
}

/** Encodes a call, and returns the overload that it selects. */
export function encodedCall({ abi, functionName, args = [] }: AnyCall): {
  readonly item: AbiFunction
  readonly data: Data
} {
  return named(functionName, () => {
    const item = fromAbi(itemsOf(abi, 'function'), functionName, { args: args as never }) as AbiFunction
    const count = item.inputs.length
    if (count !== args.length) throw new TypeError(`${args.length} arguments instead of ${count}`)
    return { item, data: encodeData(item, ...(count === 0 ? [] : [args])) }
  })
}

/** The parameters of the constructor; empty without a constructor. */
type ConstructorInputs<Contract extends Abi> =
  Extract<Contract[number], { readonly type: 'constructor' }> extends infer Item
    ? [Item] extends [never]
      ? readonly []
      : Item extends { readonly inputs: infer Inputs extends readonly Parameter[] }
        ? Inputs
        : never
    : never

/** A contract to create. The arguments are those of its constructor. */
export type Deployment<Contract extends Abi> = {
  readonly abi: Contract
  readonly bytecode: Data
} & (ConstructorInputs<Contract> extends readonly []
  ? { readonly args?: readonly [] }
  : { readonly args: Values<ConstructorInputs<Contract>> })

/**
 * Encodes the creation of a contract: `sendTransaction(client, signer, { data: encodeDeployment({ … }) })`.
 * @param deployment the ABI, the bytecode and the arguments of the constructor
 * @returns the data of the transaction
 * @throws TypeError if an argument does not fit
 */
export function encodeDeployment<const Contract extends Abi>(deployment: Deployment<Contract>): Data {
  const {
    abi,
    bytecode,
    args = [],
  } = deployment as { readonly args?: readonly unknown[] } & typeof deployment
  const [item] = itemsOf(abi, 'constructor')
  return named('constructor', () => {
    const count = item?.inputs.length ?? 0
    if (count !== args.length) throw new TypeError(`${args.length} arguments instead of ${count}`)
    return item === undefined ? bytecode : encodeConstructor(item, { bytecode, args: args as never })
  })
}

/** Adds the name of the function to errors of the codec. */
function named<Result>(name: string, encode: () => Result): Result {
  try {
    return encode()
  } catch (error) {
    const message = String(
      (error as { readonly shortMessage?: string }).shortMessage ?? (error as Error).message,
    )
    throw new TypeError(`${name}: ${message}`, { cause: error })
  }
}
