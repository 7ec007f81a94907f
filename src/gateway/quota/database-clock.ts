/** Estimate of the database's time. */
export interface DatabaseClock {
  /** Milliseconds since 1970; never behind the database, so that no lease is used after its day. */
  now(): number
  /** Marks the start of a query. The result must be called with the database's time, in milliseconds since 1970. */
  asking(): (databaseTime: number) => void
}

/** Creates a clock that follows the database, or the clock that tests inject. */
export function createDatabaseClock(inject?: () => Date): DatabaseClock {
  if (inject !== undefined) return { now: () => inject().getTime(), asking: () => () => undefined }
  // The local clock that is ahead counts: the monotonic clock stops while a machine sleeps; the other may be set.
  let steady = 0
  let wall = 0
  return {
    now: () => Math.max(performance.now() + steady, Date.now() + wall),
    asking() {
      const steadyThen = performance.now()
      const wallThen = Date.now()
      return (databaseTime) => {
        steady = databaseTime - steadyThen
        wall = databaseTime - wallThen
      }
    },
  }
}
