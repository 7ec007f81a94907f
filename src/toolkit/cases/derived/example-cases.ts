import {
  type Contract,
  type DeclaredError,
  type ExamplePairing,
  isObject,
  type JsonObject,
  type JsonValue,
  type Method,
  member,
  objectMember,
  oneLine,
  stringMember,
} from '../../contract/index.js'
import { called } from '../case-text.js'
import { literalMatcher } from '../literal-template.js'
import { type Accepts, exampleGiven, isValidGiven, sentParams } from '../params/given-params.js'
import type { DerivedCase } from './derived-case.js'

/**
 * Converts the examples of a method to cases. An example with `x-replay: exact` expects the shown answer. Any
 * other example expects an answer of that form, or one of the method's own errors. A deployment may lack the
 * data of such an example.
 */
export function exampleCases(contract: Contract, method: Method, accepts: Accepts): readonly DerivedCase[] {
  return method.examples.flatMap((example) => {
    const given = exampleGiven(method, example)
    const params = sentParams(method, given)
    if (params === undefined) return []
    // The contract itself rejects these parameters, so no service can give the shown result.
    if (example.error === undefined && !isValidGiven(method, accepts, given)) return []
    const isExact = example.extensions['x-replay'] === 'exact'
    const rules = example.extensions['x-rules']
    return [
      {
        method,
        name: caseName(method, example),
        rules: Array.isArray(rules) ? rules.filter((rule) => typeof rule === 'string') : [],
        network: stringMember(example.extensions, 'x-network'),
        params,
        ...(isExact ? exact(method, example) : shape(contract, method, example)),
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

type Expected = Pick<DerivedCase, 'scenario' | 'expect' | 'tolerate'>

function exact(method: Method, { name, result, error }: ExamplePairing): Expected {
  const scenario = `${called(method)} returns the result of the example "${oneLine(name)}".`
  if (!isObject(error)) {
    return { scenario, expect: { result: literalMatcher(result?.value ?? null) }, tolerate: [] }
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
