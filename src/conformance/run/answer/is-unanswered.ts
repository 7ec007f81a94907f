import type { TransportTrouble } from '../../send/exchange.js'

/** Troubles after which no answer is known; with all others something was answered, which can be judged. */
const SILENT: ReadonlySet<TransportTrouble['kind']> = new Set(['unreachable', 'reset', 'timeout'])

/** True when a request got no answer, so that it says nothing about any rule. */
export function isUnanswered(trouble: TransportTrouble | undefined): boolean {
  return trouble !== undefined && SILENT.has(trouble.kind)
}
