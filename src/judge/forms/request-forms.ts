import type { CallForm } from '../scenario/scenario.js'

/**
 * Forms of a request with one call: each path, with and without compression, with the own and the second key. The last
 * one differs from a plain request in everything.
 * @param paths `paths` of `x-http`
 */
export function requestForms(paths: readonly string[]): readonly CallForm[] {
  return (paths.length === 0 ? [undefined] : paths).flatMap((path) =>
    [false, true].flatMap((acceptsGzip) =>
      [undefined, 'second' as const].map((key) => ({ path, acceptsGzip, key, batch: undefined })),
    ),
  )
}
