import type { Data } from '@concordat/node-access-contract/types'
import type { Abi as AnyAbi } from 'ox/Abi'
import type * as Errors from 'ox/AbiError'
import type { AbiError } from 'ox/AbiError'
import type * as Events from 'ox/AbiEvent'
import type { AbiEvent } from 'ox/AbiEvent'
import type * as Functions from 'ox/AbiFunction'
import type { AbiFunction } from 'ox/AbiFunction'
import type { AbiParameters, decode, Parameter } from 'ox/AbiParameters'

/** The JSON ABI of a contract. Names and values are typed if it is declared `as const`. */
export type Abi = AnyAbi

/** The names of `view` and `pure` functions. */
export type ReadName<Contract extends Abi> = Abi extends Contract
  ? string
  : Functions.ExtractNames<Contract, 'view' | 'pure'>

/** The names of all functions. */
export type FunctionName<Contract extends Abi> = Functions.ExtractNames<Contract>

/** The functions, errors or events with a given name. The types of an ABI without `as const` do not contain names. */
type Found<Contract extends Abi, Item extends { readonly type: string }, Name> = Abi extends Contract
  ? Item
  : Extract<Contract[number], { readonly type: Item['type']; readonly name: Name }>

/** The values of parameters, as a list. */
export type Values<Inputs extends AbiParameters> = Readonly<decode.ReturnType<Inputs>>

/** The arguments of a function. Overloads make a union. */
export type ArgumentsOf<Contract extends Abi, Name extends FunctionName<Contract>> =
  Found<Contract, AbiFunction, Name> extends infer Item
    ? Item extends AbiFunction
      ? Values<Item['inputs']>
      : never
    : never

/** The empty list of arguments, if the function takes no arguments. */
export type NoArguments<Contract extends Abi, Name extends FunctionName<Contract>> = Extract<
  ArgumentsOf<Contract, Name>,
  readonly []
>

/**
 * The result of a function for the given arguments: undefined without outputs, the value of a single output, and
 * otherwise the list of values.
 */
export type ResultOf<Contract extends Abi, Name extends FunctionName<Contract>, Given> =
  Found<Contract, AbiFunction, Name> extends infer Item
    ? Item extends AbiFunction
      ? [Given] extends [Values<Item['inputs']>]
        ? Output<Item['outputs']>
        : never
      : never
    : never

type Output<Outputs extends AbiParameters> = AbiParameters extends Outputs
  ? unknown
  : Outputs extends readonly []
    ? undefined
    : Outputs extends readonly [Parameter]
      ? Values<Outputs>[0]
      : Values<Outputs>

/** The function, its contract and its arguments. */
export type FunctionCall<Contract extends Abi, Name extends FunctionName<Contract>, Given> = {
  readonly abi: Contract
  readonly functionName: Name
  readonly args?: Given
} & (readonly [] extends ArgumentsOf<Contract, Name> ? unknown : { readonly args: unknown })

/** The names of the errors of a contract, including `Error` and `Panic` of Solidity. */
export type ErrorName<Contract extends Abi> = Errors.ExtractNames<Contract>

/** The values of an error. Solidity's `Error` has a reason, and `Panic` a code. */
export type ErrorValues<Contract extends Abi, Name extends string> = Name extends 'Error'
  ? readonly [reason: string]
  : Name extends 'Panic'
    ? readonly [code: bigint]
    : Found<Contract, AbiError, Name> extends infer Item
      ? Item extends AbiError
        ? Values<Item['inputs']>
        : never
      : never

/** The names of the events of a contract. */
export type EventName<Contract extends Abi> = Events.ExtractNames<Contract>

/** The parameters of an event. */
type InputsOf<Contract extends Abi, Name extends EventName<Contract>> =
  Found<Contract, AbiEvent, Name> extends infer Item
    ? Item extends AbiEvent
      ? Item['inputs']
      : never
    : never

/** The types of indexed parameters that a log contains only as hashes. */
type Hashed = 'string' | 'bytes' | `tuple${string}` | `${string}]`

/** The value of a parameter of an event. */
type EventValue<Input> = Input extends { readonly indexed: true; readonly type: Hashed }
  ? Data
  : Input extends Parameter
    ? Values<readonly [Input]>[0]
    : never

type NameAt<Input, At> = Input extends { readonly name: infer Name extends string }
  ? Name extends ''
    ? At
    : Name
  : At

/** True if a parameter has a name. */
type IsNamed<Inputs extends AbiParameters> = Inputs[number] extends infer Input
  ? Input extends { readonly name: infer Name }
    ? Name extends ''
      ? never
      : true
    : never
  : never

type ValuesByName<Inputs extends AbiParameters> = [IsNamed<Inputs>] extends [never]
  ? { readonly [At in keyof Inputs]: EventValue<Inputs[At]> }
  : { readonly [At in keyof Inputs & `${number}` as NameAt<Inputs[At], At>]: EventValue<Inputs[At]> }

/** The values of an event: by name, or as a list if the ABI has no names. */
export type EventValues<Contract extends Abi, Name extends EventName<Contract>> =
  InputsOf<Contract, Name> extends infer Inputs
    ? Inputs extends AbiParameters
      ? AbiParameters extends Inputs
        ? unknown
        : ValuesByName<Inputs>
      : never
    : never

type FilterValue<Input> = Input extends { readonly type: 'string' | 'bytes' } & Parameter
  ? Values<readonly [Input]>[0]
  : EventValue<Input>

/** Values of indexed parameters that select events. A list matches each of its values. Absent parameters match all. */
export type EventSelection<Contract extends Abi, Name extends EventName<Contract>> =
  InputsOf<Contract, Name> extends infer Inputs
    ? Inputs extends AbiParameters
      ? AbiParameters extends Inputs
        ? Readonly<Record<string, unknown>>
        : {
            readonly [At in keyof Inputs & `${number}` as Selectable<Inputs[At], At>]?:
              | FilterValue<Inputs[At]>
              | readonly FilterValue<Inputs[At]>[]
              | undefined
          }
      : never
    : never

/** The indexed parameters that can select events. Lists and tuples cannot, because their topics are hashes. */
type Selectable<Input, At> = Input extends { readonly indexed: true; readonly type: infer Type }
  ? Type extends `tuple${string}` | `${string}]`
    ? never
    : NameAt<Input, At>
  : never

/** Returns the functions, errors or events of a contract. Items of different types may share a name. */
export function itemsOf<Type extends Abi[number]['type']>(
  abi: Abi,
  type: Type,
): readonly Extract<Abi[number], { readonly type: Type }>[] {
  return abi.filter((item): item is Extract<Abi[number], { readonly type: Type }> => item.type === type)
}
