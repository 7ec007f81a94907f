/** The database's time, as this process can tell it between two answers. */
export interface DatabaseClock {
  /** ms since 1970; never behind the database's own, so that a day's lease is not used after that day. */
  now(): number
  /** Marks the moment at which the database is asked; call the result with the time that it then told. */
  asking(): (databaseTime: number) => void
}

/** Follows the database's clock, or the one that tests inject. */
export function createDatabaseClock(inject?: () => Date): DatabaseClock {
  if (inject !== undefined) return { now: () => inject().getTime(), asking: () => () => undefined }
  // Of two local clocks, the one that is ahead counts: one stops while a machine sleeps, the other may be set.
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
