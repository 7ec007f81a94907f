import type { NodeServer } from '../../test/support/node-server.js'
import { recordedBlock } from '../../test/support/recorded-node.js'
import type { Scope } from './scope.js'

/** State of the chain from a time on. */
export interface ChainState {
  /** Time by `performance.now()`. */
  readonly at: number
  readonly head: number
  readonly branch: string
}

/** The chain of which all nodes are copies: a block each second, and what it was at each time. */
export interface Chain {
  readonly head: number
  /** Keeps a node behind by some blocks. */
  setLag(node: NodeServer, blocks: number): void
  /** Replaces the chain by a shorter or other one, on all nodes. */
  become(state: Partial<Pick<ChainState, 'head' | 'branch'>>): void
  /** Sets the clock of the chain ahead, by a time in seconds. */
  setClock(seconds: number): void
  /** The states that a node of the chain may have answered from, between two times. */
  between(from: number, to: number): readonly ChainState[]
}

/** A block as the service answers it, without transactions. */
export const blockMembers = { ...recordedBlock('0x0'), transactions: [] }

/** Time between two blocks, on an idle machine. */
const blockMs = 1_000
/** Every block that is read is above the genesis block, and none is final. */
export const firstHead = 1_000

/**
 * Starts the chain on its nodes.
 * @param slowness of this machine: a service on a slow one hears later of blocks, and gets fewer of them
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
