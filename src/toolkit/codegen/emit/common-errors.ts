import type { DeclaredError, Method } from '../../contract/index.js'

/**
 * Returns the errors that every method declares, which generated code names once. A contract with a single method
 * has none, and methods that declare no errors do not count.
 */
export function commonErrors(methods: readonly Method[]): readonly DeclaredError[] {
  const [first, ...others] = methods.filter(({ statesErrors }) => statesErrors)
  if (!first || others.length === 0) return []
  return first.errors.filter(({ key }) =>
    others.every(({ errors }) => errors.some((error) => error.key === key)),
  )
}

/** Returns the keys of a method's errors without the common ones. */
export function ownErrorKeys({ errors }: Method, common: readonly DeclaredError[]): readonly string[] {
  return errors.map(({ key }) => key).filter((key) => common.every((error) => error.key !== key))
}
