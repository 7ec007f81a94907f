import fc from 'fast-check'
import type { JsonValue } from '../../../src/toolkit/contract/index.js'
import { NoValueError } from '../../../src/toolkit/values/index.js'

/** Returns an arbitrary of the same values that gives null when the other one throws NoValueError. */
export function orNull(values: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  return new OrNull(values)
}

class OrNull extends fc.Arbitrary<JsonValue> {
  readonly #values: fc.Arbitrary<JsonValue>

  constructor(values: fc.Arbitrary<JsonValue>) {
    super()
    this.#values = values
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<JsonValue> {
    try {
      return this.#values.generate(random, bias)
    } catch (error) {
      if (!(error instanceof NoValueError)) throw error
      return new fc.Value<JsonValue>(null, undefined)
    }
  }

  override canShrinkWithoutContext(_value: unknown): _value is JsonValue {
    return false
  }

  override shrink(value: JsonValue, context: unknown): fc.Stream<fc.Value<JsonValue>> {
    return context === undefined ? fc.Stream.nil() : this.#values.shrink(value, context)
  }
}
