import { createHash } from 'node:crypto'
import fc from 'fast-check'
import type { Contract, JsonValue, LocatedSchema } from '../contract/index.js'
import { asNoValue } from './constraints.js'
import { createMaker } from './create-maker.js'
import { type NearlyValid, nearlyValidValues } from './nearly-valid.js'

/** fast-check arbitraries for the schemas of a contract. They shrink, and equal seeds give equal values. */
export interface Values {
  /**
   * Generates values that fit all schemas.
   * @param none schemas that the values must not fit
   * @throws NoValueError if none was found
   */
  readonly valid: (
    schemas: readonly LocatedSchema[],
    none?: readonly LocatedSchema[],
  ) => fc.Arbitrary<JsonValue>
  /**
   * Generates values that violate exactly one constraint of a schema, at any depth.
   * @throws NoValueError if every value fits, or none was found
   */
  readonly nearlyValid: (schema: LocatedSchema) => fc.Arbitrary<NearlyValid>
}

/** Options for generating values. */
export interface ValuesOptions {
  /**
   * True for varied values. By default values are readable: schema examples, all optional members, words and
   * small numbers.
   */
  readonly varied?: boolean
  /** True for numbers near their lower bound or zero, which more services have data for. */
  readonly small?: boolean
}

/**
 * Creates value generators for the schemas of a contract. References are resolved lazily, so schemas may be
 * recursive. Values are built from keywords. For `not`, `oneOf` and conditions, candidates are generated and
 * checked with ajv.
 */
export function createValues(
  contract: Contract,
  { varied = false, small = false }: ValuesOptions = {},
): Values {
  const maker = createMaker(contract, varied, small)
  return {
    valid: (all, none = []) => guarded(all[0]?.pointer ?? '#', () => maker.make({ all, none }, 0)),
    nearlyValid: (schema) => guarded(schema.pointer, () => nearlyValidValues(schema, maker)),
  }
}

/** Converts all errors of generators to NoValueError, those of making each value included. */
function guarded<Value>(pointer: string, make: () => fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  try {
    return new Guarded(pointer, make())
  } catch (error) {
    throw asNoValue(error, pointer)
  }
}

class Guarded<Value> extends fc.Arbitrary<Value> {
  readonly #pointer: string
  readonly #values: fc.Arbitrary<Value>

  constructor(pointer: string, values: fc.Arbitrary<Value>) {
    super()
    this.#pointer = pointer
    this.#values = values
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<Value> {
    try {
      return this.#values.generate(random, bias)
    } catch (error) {
      throw asNoValue(error, this.#pointer)
    }
  }

  override canShrinkWithoutContext(value: unknown): value is Value {
    return this.#values.canShrinkWithoutContext(value)
  }

  override shrink(value: Value, context: unknown | undefined): fc.Stream<fc.Value<Value>> {
    return this.#values.shrink(value, context)
  }
}

/**
 * Returns the value of an arbitrary for a seed text. It is stable for the same text and version of
 * fast-check.
 */
export function seededValue<Value>(values: fc.Arbitrary<Value>, text: string): Value {
  const seed = createHash('sha256').update(text).digest().readInt32LE(0)
  const [value] = fc.sample(fc.noBias(values), { seed, numRuns: 1 })
  return value as Value
}
