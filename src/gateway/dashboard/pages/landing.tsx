import type { ComponentChildren } from 'preact'
import type { DashboardLimits, DashboardNetwork } from '../dashboard-services.js'
import { CodeBlock } from '../parts/code-block.js'
import { numberText } from '../parts/number-text.js'

interface LandingPageProps {
  readonly isLoggedIn: boolean
  readonly networks: readonly DashboardNetwork[]
  readonly limits: DashboardLimits
  readonly referencePath: string
}

/** What the service is, its networks and limits. */
export function LandingPage({ isLoggedIn, networks, limits, referencePath }: LandingPageProps) {
  const base = networks[0]?.baseUrl() ?? ''
  return (
    <>
      <section class="hero">
        <h1>A JSON-RPC node without running one</h1>
        <p class="lead">
          Sign up, create a key, and its URL answers the network’s JSON-RPC methods. Free, up to{' '}
          {numberText(limits.requestsPerUserPerDay)} requests a day.
        </p>
        <p class="actions">
          <a class="button" href={isLoggedIn ? '/keys' : '/signup'}>
            {isLoggedIn ? 'Your keys' : 'Get a key'}
          </a>
          <a class="button quiet" href={referencePath}>
            Read the reference
          </a>
        </p>
        <CodeBlock
          label="a call with curl"
          code={`curl -s ${base}/YOUR_KEY -H 'content-type: application/json' \\\n  -d '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'`}
        />
      </section>
      <section>
        <h2>Networks</h2>
        <ul class="cards">
          {networks.map(({ title, chainId, embedded }) => (
            <li class="card" key={chainId}>
              <h3>{title}</h3>
              <p>
                Chain id {Number(chainId)} (<code>{chainId}</code>)
              </p>
              {embedded && <p class="muted">A development chain of this service.</p>}
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h2>Limits</h2>
        <dl class="facts">
          <Fact name="Requests">
            {numberText(limits.requestsPerUserPerDay)} a day for each account, over all its keys; the day
            begins at 00:00 UTC
          </Fact>
          <Fact name="Keys">{limits.keysPerUser} for each account</Fact>
          <Fact name="Batches">{limits.batchItems} requests in one</Fact>
          <Fact name="Logs">
            any number from up to {numberText(limits.blockSpanWithoutLogLimit)} blocks; up to{' '}
            {numberText(limits.logsPerAnswer)} from a longer range
          </Fact>
        </dl>
      </section>
    </>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
