import type { KeySummary } from '../../keys/key-summary.js'
import type { NetworkState } from '../../networks/service-status.js'
import type { AccessRules } from '../../store/access-rules.js'
import { AsOf } from '../parts/as-of.js'
import { SecretBlock } from '../parts/code-block.js'
import { CopyButton } from '../parts/copy-button.js'
import { Fact } from '../parts/fact.js'
import { KeyPage } from '../parts/key-page.js'
import { NetworkFacts } from '../parts/network-facts.js'
import { RevealLink, Secret } from '../parts/secret.js'
import type { WalletParameters } from '../wallet-parameters.js'

/** A text with the key in it, and the same with the key hidden. */
export interface KeyText<T = string> {
  readonly plain: T
  readonly masked: T
}

/** A network that a key is not for. */
export interface OtherNetwork {
  readonly name: string
  readonly title: string
  readonly chainId: string
  readonly state: NetworkState | undefined
  /** The user's keys for it. */
  readonly keys: readonly KeySummary[]
  /** True where the user can make one more. */
  readonly isKeyLeft: boolean
}

interface KeyNetworksPageProps {
  readonly shown: KeySummary
  readonly network: string
  readonly state: NetworkState | undefined
  readonly at: Date
  /** Both forms of the URL, each with what is said of it. */
  readonly urls: readonly { readonly title: string; readonly url: KeyText }[]
  readonly isRevealed: boolean
  readonly wallet: KeyText<WalletParameters>
  /** True for a chain of this machine, which goes by the id of the real one. */
  readonly isDevelopmentChain: boolean
  readonly others: readonly OtherNetwork[]
}

/** Where a key works, and how its network does. */
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
          <p class="muted">This key works on this network alone.</p>
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
          <p class="muted">Both are the same key, and do the same.</p>
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
  const inUse = state.nodes.filter((node) => node.state === 'healthy').length
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
  const troubles = walletTroubles(shown.access, wallet.plain, isDevelopmentChain)
  return (
    <section class="card" aria-labelledby="wallet" data-wallet={JSON.stringify(wallet.plain)}>
      <h2 id="wallet">Add to a wallet</h2>
      <p>
        What wallets take as a network (EIP-3085, <code>wallet_addEthereumChain</code>).{' '}
        <strong>A wallet sees the key that it is given</strong>, and so does whoever uses the wallet; what it
        asks for counts as your requests. Give it a key of its own, with limits.
      </p>
      {troubles.map((text) => (
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

/** Why a wallet may not get on with this key. */
function walletTroubles(
  { jwt, origins }: AccessRules,
  { rpcUrls, chainId }: WalletParameters,
  isDevelopmentChain: boolean,
): readonly string[] {
  const { protocol, hostname } = new URL(rpcUrls[0] ?? '')
  const isOwnMachine = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return [
    ...(isDevelopmentChain
      ? [
          `This is a development chain: a wallet takes it for the real chain ${Number(chainId)}. Use one that holds nothing of worth.`,
        ]
      : []),
    ...(jwt === undefined ? [] : ['This key asks for tokens, and wallets send none: it would be refused.']),
    ...(origins === undefined
      ? []
      : ['This key has a list of origins, and wallets send origins of their own: it may be refused.']),
    ...(protocol === 'https:' || isOwnMachine ? [] : ['Most wallets take no URL without https.']),
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
          {keys.length === 1 ? 'You have another that does:' : 'You have others that do:'}{' '}
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
