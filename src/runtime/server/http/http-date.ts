const millisecondsPerSecond = 1_000

let current: string | undefined
const forget = () => {
  current = undefined
}

/** Returns the value of the `Date` header (RFC 9110, section 6.6.1). It is cached for the current second. */
export function httpDate(): string {
  if (current === undefined) {
    const now = new Date()
    current = now.toUTCString()
    setTimeout(forget, millisecondsPerSecond - now.getMilliseconds()).unref()
  }
  return current
}
