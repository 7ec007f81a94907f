import type { NodeServer } from '../../test/support/node-server.js'
import { recordedBlock } from '../../test/support/recorded-node.js'
import type { Scope } from './scope.js'

/** State of the chain since a time. */
export interface ChainState {
  /** Start of this state, by `performance.now()`. */
  readonly at: number
  readonly head: number
  readonly branch: string
}

/** The chain that all nodes follow. It grows by a block a second, and records its earlier states. */
export interface Chain {
  readonly head: number
  /** Makes a node lag by a number of blocks. */
  setLag(node: NodeServer, blocks: number): void
  /** Changes the head or the branch of the chain on all nodes. */
  become(state: Partial<Pick<ChainState, 'head' | 'branch'>>): void
  /** Sets the chain's clock a number of seconds ahead of real time. */
  setClock(seconds: number): void
  /** Returns the states that answers between two times may be about. */
  between(from: number, to: number): readonly ChainState[]
}

/** A block as the service returns it, without transactions. */
export const blockMembers = { ...recordedBlock('0x0'), transactions: [] }

/** Time between two blocks, in milliseconds on an idle machine. */
const blockMs = 1_000
/** Number of the first head: all blocks that calls read are above the genesis block, and none is final. */
export const firstHead = 1_000

/**
 * Starts the chain on its nodes.
 * @param slowness slowdown factor of this machine; slower machines get fewer blocks
 */
export function startChain(
  t: Scope,
  nodes: readonly NodeServer[],
  slowness: { readonly now: number },
): Chain {
  const lags = new Map<NodeServer, number>()
  const states: ChainState[] = []
  let ahead = 0
  const set = (head: number, branch: string) => {
    states.push({ at: performance.now(), head, branch })
    for (const node of nodes) {
      node.head = Math.max(1, head - (lags.get(node) ?? 0))
      node.branch = branch
      node.blockTime = Math.floor(Date.now() / 1_000) + ahead
    }
  }
  const last = () => states.at(-1) as ChainState
  const again = () => set(last().head, last().branch)
  set(firstHead, 'main')
  let timer: NodeJS.Timeout
  const schedule = () => {
    timer = setTimeout(() => {
      set(last().head + 1, last().branch)
      schedule()
    }, blockMs * slowness.now)
  }
  schedule()
  t.teardown(() => clearTimeout(timer))
  return {
    get head() {
      return last().head
    },
    setLag(node, blocks) {
      lags.set(node, blocks)
      again()
    },
    setClock(seconds) {
      ahead = seconds
      again()
    },
    become: ({ head = last().head, branch = last().branch }) => set(head, branch),
    between(from, to) {
      const first = states.findLastIndex(({ at }) => at <= from)
      return states.slice(Math.max(0, first)).filter(({ at }) => at <= to)
    },
  }
}
