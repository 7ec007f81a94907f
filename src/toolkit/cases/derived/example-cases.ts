import {
  arrayMember,
  type Contract,
  type DeclaredError,
  type ExamplePairing,
  isObject,
  type JsonObject,
  type JsonValue,
  type Method,
  member,
  objectMember,
  pointerTokens,
  stringMember,
} from '../../contract/index.js'
import { oneLine } from '../../text/index.js'
import { called } from '../case-text.js'
import { literalMatcher } from '../literal-template.js'
import { type Accepts, exampleGiven, isValidGiven, sentParams } from '../params/given-params.js'
import type { DerivedCase } from './derived-case.js'

/**
 * Converts the examples of a method to cases. An example with `x-replay: exact` expects the shown answer, and one with
 * `x-replay: shape` an answer of that form, or one of the method's own errors.
 * @param startsAlike true if each run begins with the same state of the service. Then examples are exact unless they
 *   state otherwise. If false, a deployment may lack the data of an example, so they only show the form.
 */
export function exampleCases(
  contract: Contract,
  method: Method,
  accepts: Accepts,
  startsAlike: boolean,
): readonly DerivedCase[] {
  return method.examples.flatMap((example) => {
    const given = exampleGiven(method, example)
    const params = sentParams(method, given)
    if (params === undefined) return []
    // The contract itself rejects these parameters, so no service can give the shown result.
    if (example.error === undefined && !isValidGiven(method, accepts, given)) return []
    const replay = example.extensions['x-replay']
    const isAssumed = replay === undefined && startsAlike && !isContradicted(method, example)
    const rules = example.extensions['x-rules']
    return [
      {
        method,
        name: caseName(method, example),
        rules: Array.isArray(rules) ? rules.filter((rule) => typeof rule === 'string') : [],
        network: stringMember(example.extensions, 'x-network'),
        params,
        ...(replay === 'exact' || isAssumed
          ? exact(method, example, isAssumed)
          : shape(contract, method, example)),
      },
    ]
  })
}

/** Name of the example without its leading method name. */
function caseName({ name }: Method, example: ExamplePairing): string {
  const own = example.name.startsWith(name) ? example.name.slice(name.length) : example.name
  const short = own.replace(/^[\s\-_.:/]+/, '')
  return short === '' ? 'example' : `example-${short}`
}

/** True if another example shows another answer to the same call, so that the answer varies. */
function isContradicted(method: Method, example: ExamplePairing): boolean {
  const callOf = (one: ExamplePairing) =>
    JSON.stringify([exampleGiven(method, one), one.extensions['x-network'] ?? null])
  const answerOf = ({ result, error }: ExamplePairing) =>
    JSON.stringify([result?.value ?? null, error ?? null])
  return method.examples.some(
    (other) => callOf(other) === callOf(example) && answerOf(other) !== answerOf(example),
  )
}

type Expected = Pick<DerivedCase, 'scenario' | 'expect' | 'tolerate'>

/** @param isAssumed true if the example does not state that it is exact. The sentence says what to state instead. */
function exact(method: Method, { name, result, error }: ExamplePairing, isAssumed: boolean): Expected {
  const remedy = isAssumed ? ' If the answer may vary, the example states "x-replay": "shape".' : ''
  const scenario = `${called(method)} returns the result of the example "${oneLine(name)}".${remedy}`
  if (!isObject(error)) {
    const expected = literalMatcher(result?.value ?? null, isAssumed ? volatilePaths(method) : [])
    return { scenario, expect: { result: expected }, tolerate: [] }
  }
  const code = member(error, 'code') ?? null
  const message = stringMember(error, 'message')
  const data = member(error, 'data')
  const shown = {
    code,
    ...(message === undefined ? {} : { message: literalMatcher(message) }),
    data: data === undefined ? { $absent: true } : literalMatcher(data),
  }
  const reason = 'Only the code of an error is guaranteed. Its message and data may differ.'
  return { scenario, expect: { error: shown }, tolerate: [{ expect: { error: { code } }, reason }] }
}

/** Paths of the parts of a result that may differ between two correct answers (`x-volatile`). */
function volatilePaths({ extensions }: Method): readonly (readonly string[])[] {
  return arrayMember(extensions, 'x-volatile').flatMap((pointer) =>
    typeof pointer === 'string' ? [pointerTokens(`#${pointer}`) ?? []] : [],
  )
}

function shape(contract: Contract, method: Method, { name, error }: ExamplePairing): Expected {
  const shown = isObject(error) ? member(error, 'code') : undefined
  const codes = new Set([...(shown === undefined ? [] : [shown]), ...ownErrors(contract, method)])
  // Pointers in fragment form are percent-encoded; those of the contract are not.
  const pointer = (method.result?.schema.pointer ?? '').replaceAll('%', '%25')
  const result: JsonObject = { $schema: pointer }
  const form = codes.size > 0 ? 'its result, or an error that it declares' : 'its result'
  const scenario = `${called(method)} returns the result of the example "${oneLine(name)}" with a value that matches ${form}.`
  if (codes.size === 0) return { scenario, expect: { result }, tolerate: [] }
  const answers: readonly JsonValue[] = [
    { $has: { result } },
    { $has: { error: { $has: { code: { '$one-of': [...codes] } } } } },
  ]
  return { scenario, expect: { body: { '$one-of': answers } }, tolerate: [] }
}

/**
 * Codes of the method's own errors. Excludes codes of JSON-RPC itself and errors of whole HTTP requests
 * (those with `x-http-status`, and `x-failures` with a status other than 200).
 */
function ownErrors({ info }: Contract, { errors }: Method): readonly number[] {
  const ofService = new Set(
    Object.values(objectMember(info, 'x-failures')).flatMap((failure) =>
      isObject(failure) && member(failure, 'httpStatus') !== 200 ? [stringMember(failure, 'error')] : [],
    ),
  )
  const isReserved = ({ code }: DeclaredError) => code >= -32768 && code <= -32100
  return errors.flatMap((error) =>
    isReserved(error) || error.httpStatus !== undefined || ofService.has(error.key) ? [] : [error.code],
  )
}
