import { type CallOptions, isCallError, type Outcome } from '@concordat/client'
import type { Client } from '@concordat/node-access-contract/client'
import type { Client as DecodedClient } from '@concordat/node-access-contract/decoded'
import type { AddressInput, CallObject, Data, StateSelector } from '@concordat/node-access-contract/types'
import { decode } from 'ox/AbiParameters'
import { toQuantity } from '../chain/chain-reader.js'
import type { Abi, ArgumentsOf, FunctionCall, FunctionName, NoArguments, ReadName, ResultOf } from './abi.js'
import { ContractError, placeOf, reverted } from './contract-error.js'
import { type AnyCall, encodedCall } from './encode-call.js'

/** A call of a `view` or `pure` function. */
export type ContractCall<Contract extends Abi, Name extends FunctionName<Contract>, Given> = FunctionCall<
  Contract,
  Name,
  Given
> &
  CallSettings

/** Where and how a contract is called. */
export interface CallSettings {
  readonly address: AddressInput
  /** The state that the call sees. Default: `latest`. */
  readonly block?: StateSelector
  /** The sender of the call. */
  readonly from?: AddressInput
  /** Value of the call, in wei. */
  readonly value?: bigint
  /** Gas limit. */
  readonly gas?: bigint
}

/**
 * Calls a `view` or `pure` function and decodes its result.
 * @param client a client of `createClient`
 * @param call the address, the ABI, the function and its arguments
 * @param options options of the call
 * @returns the value, or the list of values of a function with several outputs
 * @throws ContractError if the contract reverts, has no code, or returns data that does not match the ABI
 * @throws TypeError if an argument does not fit; nothing is sent
 * @throws CallError, TransportError as for every call
 */
export async function readContract<
  const Contract extends Abi,
  Name extends ReadName<Contract>,
  const Given extends ArgumentsOf<Contract, Name> = NoArguments<Contract, Name>,
>(
  client: Client | DecodedClient,
  call: ContractCall<Contract, Name, Given>,
  options?: CallOptions,
): Promise<ResultOf<Contract, Name, Given>> {
  return callContract(client, call as never, options) as never
}

/**
 * Calls any function without sending a transaction, and decodes its result. Give the `from` and `value` of the
 * transaction.
 * @param client a client of `createClient`
 * @param call the address, the ABI, the function and its arguments
 * @param options options of the call
 * @returns the value, or the list of values of a function with several outputs
 * @throws ContractError if the contract reverts, has no code, or returns data that does not match the ABI
 * @throws TypeError if an argument does not fit; nothing is sent
 * @throws CallError, TransportError as for every call
 */
export async function simulateContract<
  const Contract extends Abi,
  Name extends FunctionName<Contract>,
  const Given extends ArgumentsOf<Contract, Name> = NoArguments<Contract, Name>,
>(
  client: Client | DecodedClient,
  call: ContractCall<Contract, Name, Given>,
  options?: CallOptions,
): Promise<ResultOf<Contract, Name, Given>> {
  return callContract(client, call as never, options) as never
}

/** A call of a batch, created by the function that {@link readContracts} passes to its callback. */
export interface BatchRead<Result> {
  /** Never present. It declares the type of the result. */
  readonly result?: Result
}

/** Adds a call to a batch. */
export type AddRead = <
  const Contract extends Abi,
  Name extends FunctionName<Contract>,
  const Given extends ArgumentsOf<Contract, Name> = NoArguments<Contract, Name>,
>(
  call: ContractCall<Contract, Name, Given>,
) => BatchRead<ResultOf<Contract, Name, Given>>

/** The outcomes of the calls of a batch, in the same order. */
export type ReadOutcomes<Calls extends readonly BatchRead<unknown>[]> = {
  readonly [At in keyof Calls]: Calls[At] extends BatchRead<infer Result> ? Outcome<Result> : never
}

/**
 * Calls several functions in one HTTP request. A call that fails does not affect the others.
 * `const [a, b] = await readContracts(client, (read) => [read({ … }), read({ … })])`
 * @param client a client of `createClient`
 * @param build function that returns the calls
 * @param options options of the batch
 * @returns the outcome of each call
 * @throws TypeError if an argument does not fit; nothing is sent
 * @throws CallError if the service refuses the whole request
 * @throws TransportError if no answer arrives
 */
export async function readContracts<const Calls extends readonly BatchRead<unknown>[]>(
  client: Client | DecodedClient,
  build: (read: AddRead) => Calls,
  options?: CallOptions,
): Promise<ReadOutcomes<Calls>> {
  const calls = build(preparedCall as AddRead) as readonly object[] as readonly PreparedCall[]
  const outcomes = await wireClient(client).batch(
    (call) => calls.map(({ sent, block }) => call.eth_call(sent, block)),
    options,
  )
  return outcomes.map((outcome, at) => settled(() => answered(calls[at] as PreparedCall, outcome))) as never
}

type AnyContractCall = AnyCall & CallSettings

interface PreparedCall {
  readonly sent: CallObject
  readonly block: StateSelector
  /** Decodes the returned data. */
  readonly decoded: (data: Data) => unknown
  /** Converts an error of the call. */
  readonly failed: (error: unknown) => unknown
}

async function callContract(
  client: Client | DecodedClient,
  call: AnyContractCall,
  options: CallOptions | undefined,
): Promise<unknown> {
  const { sent, block, decoded, failed } = preparedCall(call)
  let data: Data
  try {
    data = await wireClient(client).eth_call(sent, block, options)
  } catch (error) {
    throw failed(error)
  }
  return decoded(data)
}

/** Clients that decode values send hexadecimal quantities unchanged, and bytes are the same in both. */
const wireClient = (client: Client | DecodedClient) => client as Client

function preparedCall(call: AnyContractCall): PreparedCall {
  const { abi, address, functionName, block = 'latest', from, value, gas } = call
  const { item, data } = encodedCall(call)
  const place = placeOf(functionName, address)
  return {
    sent: {
      ...{ to: address, data, ...(from !== undefined && { from }) },
      ...(value !== undefined && { value: toQuantity(value) }),
      ...(gas !== undefined && { gas: toQuantity(gas) }),
    },
    block,
    decoded: (data) => result(item.outputs, data, place),
    failed: (error) => (isCallError(error, 'executionReverted') ? reverted(error, abi, place) : error),
  }
}

function result(outputs: Parameters<typeof decode>[0], data: Data, place: string): unknown {
  const trouble = (kind: 'noData' | 'mismatch', problem: string, cause?: unknown) =>
    new ContractError({ kind, message: `${place} ${problem}`, errorName: undefined, args: [], data, cause })
  if (outputs.length === 0) return undefined
  if (data === '0x') {
    throw trouble(
      'noData',
      'returned nothing: no contract is at this address and block, it lacks the function, or its gas ran out.',
    )
  }
  let values: readonly unknown[]
  try {
    values = decode(outputs, data) as readonly unknown[]
  } catch (error) {
    throw trouble('mismatch', 'returned bytes that do not fit the ABI.', error)
  }
  return values.length === 1 ? values[0] : values
}

function answered({ decoded, failed }: PreparedCall, outcome: Outcome<Data> | undefined): unknown {
  if (outcome?.status === 'fulfilled') return decoded(outcome.value)
  throw failed(outcome?.reason)
}

function settled(read: () => unknown): Outcome<unknown> {
  try {
    return { status: 'fulfilled', value: read() }
  } catch (reason) {
    return { status: 'rejected', reason }
  }
}
