import type { ComponentChildren } from 'preact'
import type { NetworkState } from '../../networks/service-status.js'
import { Fact } from './fact.js'
import { numberText } from './number-text.js'
import { State } from './state.js'

interface NetworkFactsProps {
  /** Names the facts within the page: they are kept up to date where scripts run. */
  readonly name: string
  readonly network: NetworkState
  /** More of them. */
  readonly children?: ComponentChildren
}

/** How a network does, in short. */
export function NetworkFacts({ name, network, children }: NetworkFactsProps) {
  const { chainId, head, isAnswering } = network
  return (
    <dl class="facts" data-live={name}>
      <Fact name="Calls">
        <State isGood={isAnswering} good="answered" bad="no node answers" />
      </Fact>
      <Fact name="Chain id">
        {Number(chainId)} (<code>{chainId}</code>)
      </Fact>
      <Fact name="Latest block">{blockText(head)}</Fact>
      {children}
    </dl>
  )
}

/** The number of a block. */
export const blockText = (head: bigint | undefined): string =>
  head === undefined ? 'not known yet' : numberText(Number(head))
