import type { NodeSettings } from '../nodes/node-settings.js'
import type { Upstream } from '../nodes/upstream.js'

/** The nodes of a network, which can be replaced by others while calls are made. */
export interface ReplaceableUpstream extends Upstream {
  /** From now on calls go to these nodes; those under way are finished by the old ones. */
  replace(nodes: readonly NodeSettings[]): void
}

/**
 * Opens the way to nodes that can be replaced.
 * @param open makes the way to nodes; it is given the head that callers know, which one new node alone may not move back
 * @param graceMs for how long calls to nodes that were replaced may go on, in milliseconds
 */
export function createReplaceableUpstream(
  open: (nodes: readonly NodeSettings[], knownHead: bigint | undefined) => Upstream,
  nodes: readonly NodeSettings[],
  graceMs: number,
): ReplaceableUpstream {
  const retired = new Map<Upstream, NodeJS.Timeout>()
  let current = open(nodes, undefined)

  function retire(upstream: Upstream): void {
    const end = () => {
      retired.delete(upstream)
      // What fails here has no caller left.
      upstream.close().catch(() => undefined)
    }
    retired.set(upstream, setTimeout(end, graceMs).unref())
  }

  return {
    call: (method, params, options) => current.call(method, params, options),
    ready: () => current.ready(),
    head: () => current.head(),
    status: () => current.status(),
    replace(next) {
      const before = current
      current = open(next, before.head())
      retire(before)
    },
    async close() {
      for (const timer of retired.values()) clearTimeout(timer)
      await Promise.all([current, ...retired.keys()].map((upstream) => upstream.close()))
    },
  }
}
