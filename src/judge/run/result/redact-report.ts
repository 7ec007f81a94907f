/** Returns a copy of a report with every string and every member name redacted. */
export function redactReport<Value>(report: Value, redact: (text: string) => string): Value {
  return redacted(report, redact) as Value
}

function redacted(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((item) => redacted(item, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [redact(name), redacted(item, redact)]),
  )
}
