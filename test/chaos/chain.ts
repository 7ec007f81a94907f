import type { NodeServer } from '../support/node-server.js'
import { recordedBlock } from '../support/recorded-node.js'
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
  /** Blocks by which a node is behind; changes apply at once. */
  setLag(node: NodeServer, blocks: number): void
  /** Replaces the chain by a shorter or other one on all nodes. */
  become(state: Partial<Pick<ChainState, 'head' | 'branch'>>): void
  /** The states that a node of the chain may have answered from, between two times. */
  between(from: number, to: number): readonly ChainState[]
}

/** A block as the service answers it, without transactions. */
export const blockMembers = { ...recordedBlock('0x0'), transactions: [] }

const blockMs = 1_000

/** Starts the chain on its nodes. */
export function startChain(t: Scope, nodes: readonly NodeServer[]): Chain {
  const lags = new Map<NodeServer, number>()
  const states: ChainState[] = []
  const set = (head: number, branch: string) => {
    states.push({ at: performance.now(), head, branch })
    for (const node of nodes) {
      node.head = Math.max(1, head - (lags.get(node) ?? 0))
      node.branch = branch
      node.blockTime = Math.floor(Date.now() / 1_000)
    }
  }
  const last = () => states.at(-1) as ChainState
  set(1_000, 'main')
  const timer = setInterval(() => set(last().head + 1, last().branch), blockMs)
  t.teardown(() => clearInterval(timer))
  return {
    get head() {
      return last().head
    },
    setLag(node, blocks) {
      lags.set(node, blocks)
      node.head = Math.max(1, last().head - blocks)
    },
    become: ({ head = last().head, branch = last().branch }) => set(head, branch),
    between(from, to) {
      const first = states.findLastIndex(({ at }) => at <= from)
      return states.slice(Math.max(0, first)).filter(({ at }) => at <= to)
    },
  }
}
