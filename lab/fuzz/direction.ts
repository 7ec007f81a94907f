import type fc from 'fast-check'

/** Something outside of what the service promises: the answer, and why. */
export class Finding extends Error {
  override readonly name = 'Finding'
}

/** Where inputs come from. */
export const directionNames = ['callers', 'bytes', 'nodes', 'frames', 'forms'] as const

/** One direction from which inputs come. Inputs are JSON values, so they can be stored and sent again. */
export interface Direction<Input = unknown> {
  readonly name: (typeof directionNames)[number]
  readonly inputs: fc.Arbitrary<Input>
  /** Inputs that are sent at the same time. */
  readonly atOnce: number
  /**
   * Sends an input and judges the answer.
   * @returns the kind of answer, for the table of answers
   * @throws Finding for an answer outside of the contract
   */
  readonly send: (input: Input) => Promise<string>
}
