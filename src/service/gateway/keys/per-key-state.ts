/**
 * State that parts of the service keep for a key between requests. Each part has one member, which saves a lookup in a
 * large table for each request. The state is dropped when the key leaves the cache. A part must check that its member
 * is still current.
 */
export class PerKeyState {
  /** Of the quota: the count of the key's user. */
  quotaCount: object | undefined = undefined
  /** Of the usage statistics: the key's counts. */
  usage: object | undefined = undefined
}
