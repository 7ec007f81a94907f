import type fc from 'fast-check'
import type { Contract, JsonValue, LocatedSchema } from '../contract/index.js'
import { createMaker } from './create-maker.js'
import { type NearlyValid, nearlyValidValues } from './nearly-valid.js'

/** Arbitraries of fast-check for the schemas of a contract; they shrink, and the same seed gives the same values. */
export interface Values {
  /**
   * Values that fit all of the schemas.
   * @throws NoValueError where none was found
   */
  readonly valid: (schemas: readonly LocatedSchema[]) => fc.Arbitrary<JsonValue>
  /**
   * Values that break exactly one of the constraints that a schema states, anywhere inside.
   * @throws NoValueError where every value fits, or none was found
   */
  readonly nearlyValid: (schema: LocatedSchema) => fc.Arbitrary<NearlyValid>
}

/** How values are chosen. */
export interface ValuesOptions {
  /**
   * True for values of all kinds; false (the default) for values that people like to read: what the schema shows as
   * examples, all optional members, words and small numbers.
   */
  readonly varied?: boolean
}

/**
 * Makes values for the schemas of a contract: references are followed where they stand, so that schemas may be
 * recursive. Keywords say how a value is made. What they do not say well enough (`not`, `oneOf`, conditions) is tried,
 * and ajv decides.
 */
export function createValues(contract: Contract, { varied = false }: ValuesOptions = {}): Values {
  const maker = createMaker(contract, varied)
  return {
    valid: (all) => maker.make({ all, none: [] }, 0),
    nearlyValid: (schema) => nearlyValidValues(schema, maker),
  }
}
