import type { KeySummary } from '../../key-summary.js'
import { CodeBlock } from '../parts/code-block.js'
import { KeyPage } from '../parts/key-page.js'
import { Notice } from '../parts/notice.js'

interface KeySetupPageProps {
  readonly shown: KeySummary
  readonly network: string
  /** The URL with the key's text. */
  readonly url: string
  /** The same with the key's text hidden. */
  readonly maskedUrl: string
  /** True when the URL is shown as it is: it was asked for, or is new. */
  readonly isRevealed: boolean
  readonly notice?: string | undefined
}

const curlOf = (url: string) =>
  `curl -s ${url} -H 'content-type: application/json' \\\n  -d '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'`

/** How a key is used. */
export function KeySetupPage({ shown, network, url, maskedUrl, isRevealed, notice }: KeySetupPageProps) {
  return (
    <KeyPage shown={shown} network={network} tab="">
      {notice && <Notice>{notice}</Notice>}
      {shown.state === 'disabled' && (
        <p class="notice bad">This key is disabled: calls with it are refused until it is enabled.</p>
      )}
      <section class="card">
        <h2>URL</h2>
        <p class="muted">Whoever has it can use your requests: keep it as you keep a password.</p>
        <div class="copy secret" data-secret={maskedUrl}>
          <code data-secret-text={url}>{isRevealed ? url : maskedUrl}</code>
          <a class="button quiet" href={isRevealed ? `/keys/${shown.id}` : `/keys/${shown.id}?show=url`}>
            {isRevealed ? 'Hide' : 'Reveal'}
          </a>
          <button type="button" hidden data-copy={url} aria-label="Copy the URL">
            Copy
          </button>
        </div>
      </section>
      <section class="card">
        <h2>First call</h2>
        <CodeBlock
          label="a call with curl"
          code={curlOf(isRevealed ? url : maskedUrl)}
          copied={curlOf(url)}
        />
      </section>
    </KeyPage>
  )
}
