/** Compiles only when both types are identical. */
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? (value: A) => void : never

/** Asserts that two types are identical: `same<A, B>(ok)`. */
export const same = <A, B>(_: Same<A, B>) => undefined

/** Asserts that the first type is assignable to the second: `fits<A, B>()`. */
export const fits = <_A extends B, B>() => undefined

export const ok = () => undefined
