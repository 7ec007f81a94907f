import type fc from 'fast-check'

/** A violation of the service's promises: the answer, and what is wrong with it. */
export class Finding extends Error {
  override readonly name = 'Finding'
}

/** Names of the directions from which inputs come. */
export const directionNames = ['callers', 'bytes', 'nodes', 'frames', 'forms'] as const

/** One direction from which inputs come. Inputs are JSON values, so they can be stored and sent again. */
export interface Direction<Input = unknown> {
  readonly name: (typeof directionNames)[number]
  readonly inputs: fc.Arbitrary<Input>
  /** Number of concurrent inputs. */
  readonly atOnce: number
  /**
   * Sends an input and judges the answer.
   * @returns the kind of answer, for the table of answers
   * @throws Finding for an answer outside of the contract
   */
  readonly send: (input: Input) => Promise<string>
}
