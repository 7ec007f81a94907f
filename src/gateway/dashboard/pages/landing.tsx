import type { DashboardLimits, DashboardNetwork } from '../dashboard-services.js'
import { CodeBlock } from '../parts/code-block.js'
import { Fact } from '../parts/fact.js'
import { numberText } from '../parts/number-text.js'
import { curlExample } from '../setup-examples.js'

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
          Blocks, balances, logs, calls and transactions, answered at a URL of your own. Free, up to{' '}
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
        <ol class="steps">
          <li>Sign up with an e-mail address and a password.</li>
          <li>Create a key for a network: its URL works at once.</li>
          <li>Call it, as you would call a node of yours: wallets and libraries take the URL as it is.</li>
        </ol>
        <CodeBlock label="a call with curl" code={curlExample(`${base}/YOUR_KEY`)} />
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
          <Fact name="Batches">up to {limits.batchItems} requests in one; each of them counts</Fact>
          <Fact name="Logs">
            any number from up to {numberText(limits.blockSpanWithoutLogLimit)} blocks; up to{' '}
            {numberText(limits.logsPerAnswer)} from a longer range
          </Fact>
        </dl>
        <p>
          Every method, with its parameters, examples and errors: <a href={referencePath}>the reference</a>.
          How the networks do right now: <a href="/status">status</a>.
        </p>
      </section>
    </>
  )
}
