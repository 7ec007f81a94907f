import { OperatorError } from '../util/index.js'

/** The error of invalid properties of a key (`invalid_input`), with the reason for each of them. */
export class InvalidProperties extends OperatorError {
  /** Reasons by property. Those of access rules have the names of the rules. */
  readonly reasons: Readonly<Record<string, string>>

  constructor(reasons: Readonly<Record<string, string>>) {
    super('invalid_input', Object.values(reasons).join('. '))
    this.reasons = reasons
  }
}

/** Reads properties one by one. */
export class PropertyReader {
  readonly #reasons: Record<string, string> = {}

  /** Returns the value that `read` returns; undefined if it throws OperatorError `invalid_input`. */
  read<Value>(property: string, read: () => Value): Value | undefined {
    try {
      return read()
    } catch (error) {
      if (error instanceof InvalidProperties) Object.assign(this.#reasons, error.reasons)
      else if (error instanceof OperatorError && error.code === 'invalid_input')
        this.#reasons[property] = error.message
      else throw error
      return undefined
    }
  }

  /** @throws InvalidProperties with the reasons of everything that was invalid */
  requireValid(): void {
    if (Object.keys(this.#reasons).length > 0) throw new InvalidProperties(this.#reasons)
  }
}
