import type { KeySummary } from '../../keys/index.js'
import type { NetworkState } from '../../networks/index.js'
import type { AccessRules } from '../../store/index.js'
import { KeyPage } from '../one-key/key-page.js'
import { AsOf } from '../parts/as-of.js'
import { CopyButton, SecretBlock } from '../parts/code-block.js'
import { Fact } from '../parts/fact.js'
import { RevealLink, Secret } from '../parts/secret.js'
import { NetworkFacts } from './network-facts.js'
import type { WalletParameters } from './wallet-parameters.js'

/** A text with the key, and the same text with the masked key. */
export interface KeyText<T = string> {
  readonly plain: T
  readonly masked: T
}

/** A network other than that of the key. */
export interface OtherNetwork {
  readonly name: string
  readonly title: string
  readonly chainId: string
  readonly state: NetworkState | undefined
  /** The user's keys for this network. */
  readonly keys: readonly KeySummary[]
  /** True if the user can create another key. */
  readonly isKeyLeft: boolean
}

interface KeyNetworksPageProps {
  readonly shown: KeySummary
  readonly network: string
  readonly state: NetworkState | undefined
  readonly at: Date
  /** Both forms of the URL with their titles. */
  readonly urls: readonly { readonly title: string; readonly url: KeyText }[]
  readonly isRevealed: boolean
  readonly wallet: KeyText<WalletParameters>
  /** True for an embedded development chain, which has the id of the real chain. */
  readonly isDevelopmentChain: boolean
  readonly others: readonly OtherNetwork[]
}

/** URLs and network status of a key. */
export function KeyNetworksPage(props: KeyNetworksPageProps) {
  const { shown, network, state, at, urls, isRevealed, others } = props
  const base = `/keys/${shown.id}/networks`
  return (
    <KeyPage shown={shown} network={network} tab="/networks">
      <div data-reload>
        <section class="card" aria-labelledby="own">
          <div class="heading">
            <h2 id="own">{network}</h2>
            <AsOf at={at} />
          </div>
          <p class="muted">This key works only on this network.</p>
          {state !== undefined && <Facts name="own" state={state} />}
          <div class="heading">
            <h3>URLs</h3>
            <RevealLink base={base} isRevealed={isRevealed} isSmall />
          </div>
          {urls.map(({ title, url: { plain, masked } }) => (
            <div class="url" key={title}>
              <p>{title}</p>
              <div class="copy">
                <Secret plain={plain} masked={masked} isRevealed={isRevealed} />
                <CopyButton text={plain} label={`Copy: ${title}`} />
              </div>
            </div>
          ))}
          <p class="muted">Both URLs are equivalent.</p>
        </section>
        <Wallet {...props} />
        {others.map((other) => (
          <OtherNetworkCard other={other} key={other.name} />
        ))}
      </div>
    </KeyPage>
  )
}

function Facts({ name, state }: { readonly name: string; readonly state: NetworkState }) {
  const inUse = state.nodes.filter((node) => node.state === state.readiness).length
  return (
    <NetworkFacts name={`${name}-facts`} network={state}>
      <Fact name="Nodes">
        {inUse} of {state.nodes.length} in use (<a href="/status">status</a>)
      </Fact>
    </NetworkFacts>
  )
}

function Wallet({ shown, wallet, isRevealed, isDevelopmentChain }: KeyNetworksPageProps) {
  const json = (parameters: WalletParameters) => JSON.stringify(parameters, null, 2)
  const warnings = walletWarnings(shown.access, wallet.plain, isDevelopmentChain)
  return (
    <section class="card" aria-labelledby="wallet" data-wallet={JSON.stringify(wallet.plain)}>
      <h2 id="wallet">Add to a wallet</h2>
      <p>
        Parameters that add this network to a wallet (EIP-3085, <code>wallet_addEthereumChain</code>).{' '}
        <strong>The wallet and its users can see the key</strong>, and calls of the wallet count as your
        requests. Use a separate key with limits.
      </p>
      {warnings.map((text) => (
        <p class="muted" key={text}>
          {text}
        </p>
      ))}
      <SecretBlock
        plain={json(wallet.plain)}
        masked={json(wallet.masked)}
        isRevealed={isRevealed}
        label="the parameters"
      />
      <div class="actions wallets" data-wallets />
      <p role="status" data-wallet-answer />
    </section>
  )
}

/** Returns the reasons why a wallet may not work with this key. */
function walletWarnings(
  { jwt, origins }: AccessRules,
  { rpcUrls, chainId }: WalletParameters,
  isDevelopmentChain: boolean,
): readonly string[] {
  const { protocol, hostname } = new URL(rpcUrls[0] ?? '')
  const isOwnMachine = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return [
    ...(isDevelopmentChain
      ? [
          `This is a development chain with the id of the real chain ${Number(chainId)}. Use a wallet without funds.`,
        ]
      : []),
    ...(jwt === undefined
      ? []
      : ['This key requires tokens, which wallets do not send. Their calls would be refused.']),
    ...(origins === undefined
      ? []
      : ['This key has an origin list. Wallets send other origins, so their calls may be refused.']),
    ...(protocol === 'https:' || isOwnMachine ? [] : ['Most wallets only accept URLs with https.']),
  ]
}

function OtherNetworkCard({ other }: { readonly other: OtherNetwork }) {
  const { name, title, state, keys, isKeyLeft } = other
  const id = `other-${name}`
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {keys.length === 0 ? (
        <p>This key does not work here. {isKeyLeft && <a href="/keys/new">Create a key for it</a>}</p>
      ) : (
        <p>
          This key does not work here.{' '}
          {keys.length === 1 ? 'Your key for this network:' : 'Your keys for this network:'}{' '}
          {keys.map((key, place) => (
            <>
              {place > 0 && ', '}
              <a href={`/keys/${key.id}/networks`} key={key.id}>
                {key.name}
              </a>
            </>
          ))}
          .
        </p>
      )}
      {state !== undefined && <Facts name={id} state={state} />}
    </section>
  )
}
