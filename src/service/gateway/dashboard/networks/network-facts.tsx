import type { ComponentChildren } from 'preact'
import type { NetworkState } from '../../networks/index.js'
import { Fact } from '../parts/fact.js'
import { numberText } from '../parts/format.js'
import { State } from '../parts/state.js'

interface NetworkFactsProps {
  /** Name within the page, for live updates. */
  readonly name: string
  readonly network: NetworkState
  /** Further facts. */
  readonly children?: ComponentChildren
}

const readinessTitles: Readonly<Record<NetworkState['readiness'], string>> = {
  ok: 'available',
  limited: 'degraded: the nodes allow fewer calls',
  failing: 'degraded: calls to the nodes fail',
  syncing: 'degraded: the nodes are syncing, and blocks are missing',
  stale: 'degraded: the latest block is old',
  behind: 'degraded: the nodes are behind',
  'no node': 'no node available',
}

/** Short status of a network. */
export function NetworkFacts({ name, network, children }: NetworkFactsProps) {
  const { chainId, head, readiness } = network
  return (
    <dl class="facts" data-live={name}>
      <Fact name="Calls">
        <State isGood={readiness === 'ok'} good={readinessTitles.ok} bad={readinessTitles[readiness]} />
      </Fact>
      <Fact name="Chain id">
        {Number(chainId)} (<code>{chainId}</code>)
      </Fact>
      <Fact name="Latest block">{blockText(head)}</Fact>
      {children}
    </dl>
  )
}

/** Formats a block number. */
export const blockText = (head: bigint | undefined): string =>
  head === undefined ? 'unknown' : numberText(Number(head))
