import { isCallError } from '@concordat/client'
import type { AddressInput, Data } from '@concordat/node-access-contract/types'
import { getSelector } from 'ox/AbiError'
import { decode } from 'ox/AbiParameters'
import { type Abi, type ErrorName, type ErrorValues, itemsOf } from './abi.js'

/**
 * Why a call of a contract has no result. `reverted`: the contract reverted it. `noData`: the answer is empty, although
 * the function has outputs. `mismatch`: the answer does not match the ABI.
 */
export type ContractTrouble = 'reverted' | 'noData' | 'mismatch'

/** The parts of a {@link ContractError}. */
export interface ContractErrorOptions<Name extends string | undefined, Given> {
  readonly kind: ContractTrouble
  readonly message: string
  readonly errorName: Name
  readonly args: Given
  readonly reason?: string | undefined
  readonly data: Data
  readonly cause?: unknown
}

/** Shared by all copies of the package, so that each copy recognizes the errors of the others. */
const brand = Symbol.for('concordat.ContractError')

/** A call of a contract reverted, or its answer does not match the ABI. */
export class ContractError<
  Name extends string | undefined = string | undefined,
  Given = readonly unknown[],
> extends Error {
  static {
    Object.assign(ContractError.prototype, { [brand]: true })
  }
  override readonly name = 'ContractError'
  declare readonly kind: ContractTrouble
  /** The error of the ABI, or `Error` and `Panic` of Solidity. Undefined if the ABI has no such error. */
  declare readonly errorName: Name
  /** The values of the error. */
  declare readonly args: Given
  /** The text of `require` and `revert`, or the meaning of a panic. */
  declare readonly reason: string | undefined
  /** The bytes that the call returned. */
  declare readonly data: Data

  constructor({ message, cause, ...members }: ContractErrorOptions<Name, Given>) {
    super(message, cause === undefined ? undefined : { cause })
    Object.assign(this, members)
  }
}

/** The errors of the calls of a contract, as a union that `errorName` narrows. */
export type ContractErrorOf<Contract extends Abi, Name extends string = ErrorName<Contract>> =
  | UnnamedError<Name, ErrorName<Contract>>
  | { readonly [Key in Name]: ContractError<Key, ErrorValues<Contract, Key>> }[Name]

/** The error without a name, if all names are asked for. */
type UnnamedError<Asked, All> = [All] extends [Asked] ? ContractError<undefined, readonly []> : never

/**
 * Returns true for an error of a call of this contract, and narrows its type: `errorName` is the name of the error, and
 * `args` has its values. Recognizes errors of other copies of the package.
 * @param error the error that a call rejected with
 * @param abi the ABI of the contract
 * @param name the name of the error. Default: all
 */
export function isContractError<
  const Contract extends Abi,
  const Name extends ErrorName<Contract> = ErrorName<Contract>,
>(error: unknown, abi: Contract, name?: Name): error is ContractErrorOf<Contract, Name> {
  if (!(error instanceof Error && brand in error)) return false
  const { errorName } = error as Error as ContractError
  if (name !== undefined) return errorName === name
  return errorName === undefined || errorsOf(abi).some((item) => item.name === errorName)
}

/**
 * Converts the error of a reverted call to a {@link ContractError}. Use it for errors of `sendTransaction`, and of
 * calls that were encoded by hand.
 * @param error the error that a call rejected with
 * @param abi the ABI of the contract
 * @returns undefined unless the call reverted
 */
export function revertOf<const Contract extends Abi>(
  error: unknown,
  abi: Contract,
): ContractErrorOf<Contract> | undefined {
  if (isContractError(error, abi)) return error
  return isCallError(error, 'executionReverted')
    ? (reverted(error, abi, 'the call') as ContractErrorOf<Contract>)
    : undefined
}

/** Returns the function and address of a call, for messages. */
export const placeOf = (functionName: string, address: AddressInput): string =>
  `${functionName} of ${address}`

/**
 * Creates the error of a revert.
 * @param error the error of the call, whose `data` has the returned bytes
 * @param place the function and address of the call, for the message
 */
export function reverted(error: Error & { readonly data?: unknown }, abi: Abi, place: string): ContractError {
  const data = (typeof error.data === 'string' ? error.data : '0x') as Data
  const known = errorsOf(abi).find((item) => getSelector(item) === data.slice(0, 10).toLowerCase())
  const args = known && valuesOf(known.inputs, data)
  const shared = { kind: 'reverted', data, cause: error } as const
  if (known === undefined || args === undefined) {
    const found =
      data === '0x' ? 'without a reason' : `with ${data.slice(0, 10)}, which the ABI does not have`
    return new ContractError({
      ...shared,
      message: `${place} reverted ${found}.`,
      errorName: undefined,
      args: [],
    })
  }
  const [first] = args
  const reason = known.name === 'Error' ? String(first) : known.name === 'Panic' ? panicOf(first) : undefined
  const shown = args.map((value) => JSON.stringify(value, bigintAsText)).join(', ')
  const message = `${place} reverted: ${reason ?? `${known.name}(${shown})`}`
  return new ContractError({ ...shared, message, errorName: known.name, args, reason })
}

function valuesOf(inputs: Parameters<typeof decode>[0], data: Data): readonly unknown[] | undefined {
  if (inputs.length === 0) return []
  try {
    return decode(inputs, `0x${data.slice(10)}`) as readonly unknown[]
  } catch {
    return undefined
  }
}

const bigintAsText = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)

const errorsOf = (abi: Abi) => [...solidityErrors, ...itemsOf(abi, 'error')]

/** The errors that the Solidity compiler creates (Solidity, control structures). */
const solidityErrors = [
  { type: 'error', name: 'Error', inputs: [{ type: 'string', name: 'reason' }] },
  { type: 'error', name: 'Panic', inputs: [{ type: 'uint256', name: 'code' }] },
] as const

/** The codes of `Panic` (Solidity, control structures). */
const panics: Readonly<Record<string, string>> = {
  '1': 'an assertion failed',
  '17': 'an arithmetic operation overflowed',
  '18': 'division by zero',
  '33': 'a value is not one of its enumeration',
  '34': 'a byte array in storage is encoded wrongly',
  '49': 'pop on an empty array',
  '50': 'an index is out of bounds',
  '65': 'too much memory was allocated',
  '81': 'a function variable was not set',
}

const panicOf = (code: unknown) => panics[String(code)] ?? `panic ${String(code)}`
