import type { EnvelopeRules, JsonValue, ServiceDescriptor } from '@concordat/rpc'
import { defaultFailures, type Failure, type FailureId, type Failures } from './failures.js'
import { defaultLimits, type Limits, maxLimit } from './limits.js'
import type { Methods } from './protocol-options.js'

/** The server settings of a contract. Undeclared settings are absent. */
export interface ServiceSettings {
  readonly limits: Partial<Limits>
  readonly failures: Partial<Failures>
  readonly envelope: EnvelopeRules | undefined
}

/**
 * Reads the contract's server settings from the generated methods: limits (`x-limits`), failures
 * (`x-failures`) and envelope rules (`x-envelope`).
 * @throws RangeError for a limit outside the supported range
 */
export function serviceSettings(methods: Methods): ServiceSettings {
  const service = serviceOf(methods)
  if (!service) return { limits: {}, failures: {}, envelope: undefined }
  return {
    limits: statedLimits(service),
    failures: statedFailures(service),
    envelope: statedEnvelope(service),
  }
}

/** Returns what the generated methods carry about their service. */
export function serviceOf(methods: Methods): ServiceDescriptor | undefined {
  return Object.values(methods).find((method) => method.service !== undefined)?.service
}

function statedLimits({ limits }: ServiceDescriptor): Partial<Limits> {
  const known = Object.keys(defaultLimits).filter((name) => Object.hasOwn(limits, name))
  for (const name of known) {
    const value = limits[name]
    // 0 disables batches.
    const least = name === 'batchItems' ? 0 : 1
    if (Number.isInteger(value) && Number(value) >= least && Number(value) <= maxLimit) continue
    const words = `must be a whole number from ${least} to ${maxLimit}, but is ${JSON.stringify(value)}`
    throw new RangeError(`The contract's limit "${name}" ${words}`)
  }
  return Object.fromEntries(known.map((name) => [name, limits[name]]))
}

function statedFailures(service: ServiceDescriptor): Partial<Failures> {
  const usual = Object.entries(defaultFailures) as readonly (readonly [FailureId, Failure])[]
  return Object.fromEntries(usual.map(([id, failure]) => [id, statedFailure(service, id, failure)]))
}

function statedFailure(service: ServiceDescriptor, id: FailureId, usual: Failure): Failure {
  const stated = Object.hasOwn(service.failures, id) ? service.failures[id] : undefined
  const error = stated && service.errors[stated.error]
  const code = error?.code ?? usual.code
  const { message, httpStatus, retryAfterSeconds }: Partial<Failure> = stated ?? usual
  return {
    code,
    message: message ?? error?.message ?? usual.message,
    httpStatus: httpStatus ?? error?.httpStatus ?? usual.httpStatus,
    retryAfterSeconds: retryAfterSeconds ?? error?.retryAfterSeconds,
    withoutData: service.withoutData.includes(code),
  }
}

function statedEnvelope({ envelope }: ServiceDescriptor): EnvelopeRules | undefined {
  if (envelope === undefined) return undefined
  const stated: Readonly<Record<string, JsonValue | undefined>> = envelope
  const { idRequired, idPattern, stringIds, nullIsAbsent } = stated
  return {
    idRequired: idRequired === true,
    ...(typeof idPattern === 'string' ? { idPattern } : {}),
    ...(stringIds === false ? { stringIds } : {}),
    ...(nullIsAbsent === false ? { nullIsAbsent } : {}),
  }
}
