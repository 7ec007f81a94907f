import type { EnvelopeRules } from '@concordat/rpc'
import { defaultFailures, defaultLimits, type Failure, type Failures, type Limits } from '@concordat/server'
import {
  type Contract,
  codesWithoutData,
  contractError,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  objectMember,
  stringMember,
} from '../contract/index.js'

/** Server settings from this project's contract extensions. Settings that the contract omits are absent. */
export interface ContractSettings {
  readonly limits: Partial<Limits>
  readonly failures: Partial<Failures>
  readonly envelope: EnvelopeRules
}

/** Maximum limit. Larger values do not fit timers. */
const limitMost = 2 ** 31 - 1

/**
 * Reads `x-limits`, `x-failures` and `x-envelope`.
 * @throws ContractError if `idPattern` is not a regular expression
 */
export function contractSettings(contract: Contract): ContractSettings {
  return {
    limits: readLimits(objectMember(contract.info, 'x-limits')),
    failures: readFailures(contract),
    envelope: readEnvelope(objectMember(contract.info, 'x-envelope')),
  }
}

function readLimits(stated: JsonObject): Partial<Limits> {
  return Object.fromEntries(
    Object.keys(defaultLimits).flatMap((name) => {
      const limit = member(stated, name)
      const value = isObject(limit) ? member(limit, 'value') : limit
      // 0 disables batches.
      const least = name === 'batchItems' ? 0 : 1
      return isWhole(value) && value >= least && value <= limitMost ? [[name, value]] : []
    }),
  )
}

function readFailures(contract: Contract): Partial<Failures> {
  const { info, errors } = contract
  const stated = objectMember(info, 'x-failures')
  const withoutData = codesWithoutData(contract)
  return Object.fromEntries(
    Object.entries(defaultFailures).flatMap(([name, usual]) => {
      const failure = member(stated, name)
      if (!isObject(failure))
        return withoutData.includes(usual.code) ? [[name, { ...usual, withoutData: true }]] : []
      const error = errors.find(({ key }) => key === stringMember(failure, 'error'))
      const made = readFailure(failure, {
        code: error?.code ?? usual.code,
        message: error?.message ?? usual.message,
        httpStatus: error?.httpStatus ?? usual.httpStatus,
        retryAfterSeconds: error?.retryAfterSeconds,
      })
      return [[name, { ...made, withoutData: withoutData.includes(made.code) }]]
    }),
  )
}

function readFailure(stated: JsonObject, usual: Failure): Failure {
  const status = member(stated, 'httpStatus')
  const seconds = member(stated, 'retryAfterSeconds')
  return {
    code: usual.code,
    message: stringMember(stated, 'message') ?? usual.message,
    httpStatus: isWhole(status) && status >= 200 && status <= 599 ? status : usual.httpStatus,
    retryAfterSeconds: isWhole(seconds) && seconds >= 0 ? seconds : usual.retryAfterSeconds,
  }
}

function readEnvelope(stated: JsonObject): EnvelopeRules {
  const idRequired = member(stated, 'idRequired') === true
  const idPattern = stringMember(stated, 'idPattern')
  const flags = Object.fromEntries(
    ['stringIds', 'nullIsAbsent'].flatMap((name) => (member(stated, name) === false ? [[name, false]] : [])),
  )
  if (idPattern === undefined) return { idRequired, ...flags }
  try {
    new RegExp(idPattern)
  } catch (cause) {
    throw contractError('#/info/x-envelope/idPattern', 'is not a regular expression', { cause })
  }
  return { idRequired, idPattern, ...flags }
}

function isWhole(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value)
}
