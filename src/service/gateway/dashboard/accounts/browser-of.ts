const browsers = ['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari', 'curl'] as const
const systems = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'] as const
const displayNames: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' }

/** Names the browser and system of a user agent. */
export function browserOf(userAgent: string | null): string {
  const text = userAgent ?? ''
  const find = (names: readonly string[]) => {
    const name = names.find((each) => text.includes(each))
    return name && (displayNames[name] ?? name)
  }
  const [browser, system] = [find(browsers), find(systems)]
  if (browser === undefined) return 'Unknown client'
  return system === undefined ? browser : `${browser} on ${system}`
}
