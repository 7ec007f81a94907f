import type { Contract } from '../../toolkit/contract/index.js'
import type { Checks } from '../checks/checks.js'
import type { ComputeFunction } from '../scenario/compute-function.js'
import type { Fixture, Scenario } from '../scenario/scenario.js'
import type { Redactor } from '../send/redact/redactor.js'
import type { Sender } from '../send/sender.js'
import type { Target } from '../send/target.js'
import type { CompareReport } from './compare-report.js'
import type { CompareRequestOptions } from './compare-request.js'
import type { Recording } from './stored-side.js'

/**
 * The deployments cannot be compared, for example because they serve different networks. The message says
 * why.
 */
export class NotComparable extends Error {
  override readonly name = 'NotComparable'
}

/** Options for one deployment. */
export interface DeploymentOptions {
  readonly target: Target
  /** Sends the requests, or has the answers. */
  readonly answers: Sender | Recording
  /** Headers added to every request. Their values are secrets. */
  readonly headers: Readonly<Record<string, string>>
}

/** Options for a comparison. */
export interface CompareOptions {
  readonly tool: CompareReport['tool']
  readonly contract: Contract
  /** SHA-256 of the contract file, hexadecimal. */
  readonly contractSha256: string
  /** All cases. Those derived from examples of one network serve to identify the network. */
  readonly scenarios: readonly Scenario[]
  /** Selected cases. Only cases with plain, read-only calls are compared. */
  readonly chosen: readonly Scenario[]
  readonly fixtures: readonly Fixture[]
  /** Patterns that selected the cases. With any, the deployments may serve different networks. */
  readonly only: readonly string[]
  readonly a: DeploymentOptions
  readonly b: DeploymentOptions
  readonly checks: Checks
  readonly functions: Readonly<Record<string, ComputeFunction>>
  readonly redactor: Redactor
  /** Returns by how much numbers in results of a method may differ, such as 10 or `10%`; undefined if not at all. */
  readonly toleranceOf: CompareRequestOptions['toleranceOf']
  /** Number of cases that run concurrently. */
  readonly concurrency: number
  readonly onProgress: ((done: number, total: number, last: string) => void) | undefined
  readonly signal: AbortSignal | undefined
}
