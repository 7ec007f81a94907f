import { Ajv, type Options } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import next from 'ajv/dist/vocabularies/next.js'
import { useExactMultiples } from './exact-multiples.js'

/**
 * Creates an ajv instance that knows the keywords of draft-07, and those of 2020-12 in the terms of draft-07.
 * @param options options of ajv
 * @param isTracking whether schemas use `unevaluatedItems` or `unevaluatedProperties`: then ajv records what other
 *   keywords evaluate, which costs time
 */
export function createAjv(options: Options, isTracking: boolean): Ajv {
  // ajv's optimizer removes declarations of variables that `unevaluated…` still uses.
  const tracking = { ...options, code: { ...options.code, optimize: false } }
  const ajv = isTracking ? new Ajv2019(tracking) : new Ajv({ ...options, next: true })
  if (!isTracking) ajv.addVocabulary(next.default)
  useExactMultiples(ajv)
  return ajv
}
