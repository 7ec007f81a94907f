import type { DashboardLimits, DashboardNetwork } from '../dashboard-services.js'
import { CodeBlock } from '../parts/code-block.js'
import { Fact } from '../parts/fact.js'
import { numberText } from '../parts/format.js'
import { curlExample } from '../setup/setup-examples.js'

interface LandingPageProps {
  readonly isLoggedIn: boolean
  readonly networks: readonly DashboardNetwork[]
  readonly limits: DashboardLimits
  readonly referencePath: string
}

/** The landing page: the service, its networks and limits. */
export function LandingPage({ isLoggedIn, networks, limits, referencePath }: LandingPageProps) {
  const base = networks[0]?.baseUrl() ?? ''
  return (
    <>
      <section class="hero">
        <h1>JSON-RPC access without running a node</h1>
        <p class="lead">
          Blocks, balances, logs, calls and transactions at your own URL. Free up to{' '}
          {numberText(limits.requestsPerUserPerDay)} requests per day.
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
          <li>Create a key for a network. Its URL works immediately.</li>
          <li>Use the URL like that of your own node, in wallets, libraries and programs.</li>
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
              {embedded && <p class="muted">Embedded development chain.</p>}
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h2>Limits</h2>
        <dl class="facts">
          <Fact name="Requests">
            {numberText(limits.requestsPerUserPerDay)} per day and account, for all keys together; the day
            starts at 00:00 UTC
          </Fact>
          <Fact name="Keys">{limits.keysPerUser} per account</Fact>
          <Fact name="Batches">up to {limits.batchItems} requests; each one counts</Fact>
          <Fact name="Logs">
            unlimited in ranges of up to {numberText(limits.blockSpanWithoutLogLimit)} blocks; up to{' '}
            {numberText(limits.logsPerAnswer)} in longer ranges
          </Fact>
        </dl>
        <p>
          All methods with parameters, examples and errors: <a href={referencePath}>reference</a>. Current
          network status: <a href="/status">status</a>.
        </p>
      </section>
    </>
  )
}
