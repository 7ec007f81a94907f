import type { TransportTrouble } from '../../../report/index.js'

/** Errors without any response. Other kinds include a partial response, which can be judged. */
const SILENT: ReadonlySet<TransportTrouble['kind']> = new Set(['unreachable', 'reset', 'timeout'])

/** True when a request got no response. Such a request proves nothing about any rule. */
export function isUnanswered(trouble: TransportTrouble | undefined): boolean {
  return trouble !== undefined && SILENT.has(trouble.kind)
}
