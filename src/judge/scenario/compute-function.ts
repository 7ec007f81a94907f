import type { JsonValue } from '../../toolkit/contract/index.js'

/**
 * Computes a value for a scenario, such as a hash.
 * @throws for unusable parameters
 */
export type ComputeFunction = (params: readonly JsonValue[]) => JsonValue
