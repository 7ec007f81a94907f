import type { Finding } from '../report/index.js'

/** Describes the first finding and counts the others. */
export function findingText([first, ...more]: readonly Finding[]): string {
  if (first === undefined) return 'nothing was found'
  const rest = more.length === 0 ? '' : `, and ${more.length} more`
  return `${first.where}: expected ${first.expected}, got ${first.got}${rest}`
}
