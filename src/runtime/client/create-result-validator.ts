import type { Validator } from '@concordat/rpc'
import type { ResultValidator } from './client-options.js'
import { invalidResult, type TransportError } from './transport-error.js'

/** Options of {@link createResultValidator}. */
export interface ResultValidatorOptions {
  /** Share of the results to validate, from 0 to 1, chosen at random. Defaults to 1. */
  readonly sample?: number | undefined
  /** Receives the errors; calls then return invalid results. By default, calls reject with the error. */
  readonly onInvalid?: ((error: TransportError) => void) | undefined
}

/** The validators of a contract: `validators` of the generated module of that name. */
export type ResultValidators = Readonly<Record<string, { readonly result?: Validator }>>

/**
 * Creates the option `validate` of a client, which validates results as the server sent them. The errors are
 * `TransportError` of kind `invalid`, with the first problem.
 * @param validators the generated validators; results of other methods are not validated
 * @throws RangeError unless `sample` is a number from 0 to 1
 */
export function createResultValidator(
  validators: ResultValidators,
  { sample = 1, onInvalid }: ResultValidatorOptions = {},
): ResultValidator {
  if (!(sample >= 0 && sample <= 1)) throw new RangeError(`sample is ${sample}: use a number from 0 to 1`)
  return (method, _params, result) => {
    const validate = Object.hasOwn(validators, method) ? validators[method]?.result : undefined
    if (validate === undefined || Math.random() >= sample) return
    const [problem] = validate(result)
    if (problem === undefined) return
    const error = invalidResult(method, problem)
    if (onInvalid === undefined) throw error
    onInvalid(error)
  }
}
