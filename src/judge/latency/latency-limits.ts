import { type Contract, type JsonObject, member, objectMember } from '../../toolkit/contract/index.js'
import { type LatencyMeasure, latencyMeasures } from '../report/index.js'

/** The maximum of one measure. */
export interface LatencyLimit {
  /** Undefined for the requests of all methods together. */
  readonly method: string | undefined
  readonly measure: LatencyMeasure
  readonly milliseconds: number
}

/**
 * Lists the limits of a run: those of the contract (`x-latency` of the info object and of methods), replaced by
 * given limits of the same method and measure.
 */
export function latencyLimits(contract: Contract, given: readonly LatencyLimit[]): readonly LatencyLimit[] {
  const stated = [
    ...limitsIn(objectMember(contract.info, 'x-latency'), undefined),
    ...contract.methods.flatMap(({ name, extensions }) =>
      limitsIn(objectMember(extensions, 'x-latency'), name),
    ),
  ]
  const key = ({ method, measure }: LatencyLimit) => JSON.stringify([method ?? null, measure])
  return [...new Map([...stated, ...given].map((limit) => [key(limit), limit])).values()]
}

function limitsIn(stated: JsonObject, method: string | undefined): readonly LatencyLimit[] {
  return latencyMeasures.flatMap((measure) => {
    const milliseconds = member(stated, measure)
    return typeof milliseconds === 'number' ? [{ method, measure, milliseconds }] : []
  })
}
