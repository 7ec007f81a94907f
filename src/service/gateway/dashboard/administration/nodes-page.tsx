import type { NetworkNodes } from '../../networks/index.js'
import { blockText } from '../networks/network-facts.js'
import { durationText, numberText } from '../parts/format.js'
import { StackedTable } from '../parts/stacked-table.js'
import { stateTitles } from '../status/status-page.js'

/** The nodes of each network by their names, for operators. */
export function NodesPage({ networks }: { readonly networks: readonly NetworkNodes[] }) {
  return (
    <>
      <p class="crumbs">
        <a href="/admin">Accounts</a>
      </p>
      <h1>Nodes</h1>
      <p class="muted">
        Names are those of the configuration. Failed calls are those since this process started using the
        node.
      </p>
      {networks.map(({ title, nodes }, place) => (
        <section aria-labelledby={`network-${place}`} key={title}>
          <h2 id={`network-${place}`}>{title}</h2>
          <StackedTable
            caption={`Nodes of the ${title.toLowerCase()}`}
            columns={['Node', 'State', 'Latest block', 'Latency', 'Calls in flight', 'Failed calls']}
            words={2}
            rows={nodes.map(({ name, state, head, latencyMs, inFlight, failures }) => [
              <code key="name">{name}</code>,
              stateTitles[state],
              blockText(head),
              durationText(latencyMs),
              numberText(inFlight),
              numberText(failures),
            ])}
          />
        </section>
      ))}
    </>
  )
}
