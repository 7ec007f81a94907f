const millisecondsPerSecond = 1_000

let current: string | undefined
const forget = () => {
  current = undefined
}

/** The time as the `Date` header has it (RFC 9110, section 6.6.1): made once a second, and only while it is asked for. */
export function httpDate(): string {
  if (current === undefined) {
    const now = new Date()
    current = now.toUTCString()
    setTimeout(forget, millisecondsPerSecond - now.getMilliseconds()).unref()
  }
  return current
}
