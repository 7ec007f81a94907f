import type { ServiceStatus } from '../../networks/index.js'
import type { DashboardLimits, DashboardNetwork } from '../dashboard-services.js'
import { blockText } from '../networks/network-facts.js'
import { AsOf } from '../parts/as-of.js'
import { CodeBlock } from '../parts/code-block.js'
import { Fact } from '../parts/fact.js'
import { numberText } from '../parts/format.js'
import { Hex } from '../parts/hex.js'
import { curlExample } from '../setup/setup-examples.js'

interface LandingPageProps {
  readonly isLoggedIn: boolean
  readonly networks: readonly DashboardNetwork[]
  /** Undefined if it is not available. */
  readonly status: ServiceStatus | undefined
  readonly limits: DashboardLimits
  readonly referencePath: string
}

/** The landing page: the service, a call with its current answer, networks and limits. */
export function LandingPage(props: LandingPageProps) {
  const { isLoggedIn, networks, status, limits, referencePath } = props
  const chains = [...new Set(networks.flatMap(({ chain }) => chain ?? []))].join(' and ')
  return (
    <>
      <section class="hero">
        <div>
          <h1>
            {chains} <span class="whole">JSON-RPC</span> without running a node
          </h1>
          <p class="lead">
            Blocks, balances, logs, calls and transactions{chains !== '' && ` of ${chains}`} at your own URL.
            Free up to {numberText(limits.requestsPerUserPerDay)} requests per day.
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
            <li>Copy the URL of your key. It works immediately.</li>
            <li>Use the URL like that of your own node, in wallets, libraries and programs.</li>
          </ol>
        </div>
        <LiveCall networks={networks} status={status} />
      </section>
      <section>
        <h2>Networks</h2>
        <ul class="cards">
          {networks.map(({ title, chain, chainId, embedded }) => (
            <li class="card" key={chainId}>
              <h3>{[chain, title].filter(Boolean).join(' · ')}</h3>
              <dl class="facts" data-live={`network-${Number(chainId)}`}>
                <Fact name="Chain id">
                  {Number(chainId)} (<code>{chainId}</code>)
                </Fact>
                <Fact name="Latest block">{blockText(headOf(status, chainId))}</Fact>
              </dl>
              {embedded && <p class="muted">Embedded development chain.</p>}
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h2>Limits</h2>
        <dl class="numbers">
          <Fact name="Requests per day">
            {numberText(limits.requestsPerUserPerDay)}
            <small>for all keys of an account together; the day starts at 00:00 UTC</small>
          </Fact>
          <Fact name="Keys">
            {numberText(limits.keysPerUser)}
            <small>per account</small>
          </Fact>
          <Fact name="Requests per batch">
            {numberText(limits.batchItems)}
            <small>each one counts</small>
          </Fact>
          <Fact name="Blocks without a limit of logs">
            {numberText(limits.blockSpanWithoutLogLimit)}
            <small>up to {numberText(limits.logsPerAnswer)} logs in longer ranges</small>
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

const headOf = (status: ServiceStatus | undefined, chainId: string) =>
  status?.networks.find((network) => network.chainId === chainId)?.head

/** A call of the first network, with the answer that it has now. live.js keeps the answer up to date. */
function LiveCall({ networks: [network], status }: Pick<LandingPageProps, 'networks' | 'status'>) {
  if (network === undefined) return null
  const { title, chain, chainId } = network
  const head = headOf(status, chainId)
  return (
    <section class="card first-call" aria-labelledby="call" data-reload>
      <div class="line">
        <h2 id="call">Ask for the latest block</h2>
        <span class="muted">{[chain, title].filter(Boolean).join(' · ')}</span>
      </div>
      <CodeBlock label="a call with curl" code={curlExample(`${network.baseUrl()}/YOUR_KEY`)} />
      <div class="line">
        <h3>Answer</h3>
        {status && <AsOf at={status.at} />}
      </div>
      <div data-live="call">
        {head === undefined ? (
          <p class="muted">No block is known at the moment.</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content needs keyboard access
          <pre class="result-line" tabIndex={0}>
            <code>
              <Hex text={JSON.stringify({ jsonrpc: '2.0', id: 1, result: `0x${head.toString(16)}` })} />
            </code>
          </pre>
        )}
      </div>
    </section>
  )
}
