import { type LatencyLimit, matchesPattern } from '../../conformance/index.js'
import type { Contract } from '../../contract/index.js'
import { UsageError } from '../io.js'
import type { ConformOptions } from './conform-options.js'

/**
 * Returns the limits of `--max-latency` with the names of the methods that their patterns match.
 * @throws UsageError when a pattern matches no method
 */
export function latencyLimitsOf(
  { maximumLatency }: Pick<ConformOptions, 'maximumLatency'>,
  { methods }: Contract,
): readonly LatencyLimit[] {
  return maximumLatency.flatMap((limit) => {
    const { method: pattern } = limit
    if (pattern === undefined) return [limit]
    const matched = methods.filter(({ name }) => matchesPattern(pattern, name))
    if (matched.length === 0) {
      throw new UsageError(`--max-latency ${pattern}: no method of the contract matches`)
    }
    return matched.map(({ name }) => ({ ...limit, method: name }))
  })
}
