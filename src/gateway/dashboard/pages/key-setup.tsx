import type { KeySummary } from '../../keys/key-summary.js'
import type { ConsoleMethod } from '../console-methods.js'
import type { DashboardNetwork } from '../dashboard-services.js'
import type { AnsweredCall } from '../parts/call-answer.js'
import { Console, type ConsoleChoice } from '../parts/console.js'
import { CopyButton } from '../parts/copy-button.js'
import { Examples } from '../parts/examples.js'
import type { FormProblems } from '../parts/form.js'
import { KeyPage } from '../parts/key-page.js'
import { Notice } from '../parts/notice.js'
import { RevealLink, Secret } from '../parts/secret.js'
import { setupExamples } from '../setup-examples.js'

interface KeySetupPageProps {
  /** What the service calls itself. */
  readonly service: string
  readonly shown: KeySummary
  readonly network: DashboardNetwork
  /** The URL with the key's text. */
  readonly url: string
  /** The same with the key's text hidden. */
  readonly maskedUrl: string
  /** True when the URL is shown as it is: it was asked for, or is new. */
  readonly isRevealed: boolean
  readonly notice?: string | undefined
  readonly methods: readonly ConsoleMethod[]
  readonly choice: ConsoleChoice
  readonly problems?: FormProblems | undefined
  readonly call?: AnsweredCall | undefined
  readonly referencePath: string
}

/** How a key is used: its URL, programs to begin with, and a place to try it. */
export function KeySetupPage(props: KeySetupPageProps) {
  const { shown, network, url, maskedUrl, isRevealed, notice, methods, choice, problems, call } = props
  const base = `/keys/${shown.id}`
  const needsToken = shown.access.jwt !== undefined
  return (
    <KeyPage shown={shown} network={network.title} tab="">
      {notice && <Notice>{notice}</Notice>}
      {shown.state === 'disabled' && (
        <p class="notice bad">This key is disabled: calls with it are refused until it is enabled.</p>
      )}
      <section class="card">
        <h2>URL</h2>
        <p class="muted">Whoever has it can use your requests: keep it as you keep a password.</p>
        <div class="copy">
          <Secret plain={url} masked={maskedUrl} isRevealed={isRevealed} />
          <RevealLink base={base} isRevealed={isRevealed} />
          <CopyButton text={url} label="Copy the URL" />
        </div>
        {needsToken && (
          <p class="muted after">
            This key asks for a token too: each request carries the header <code>Authorization: Bearer</code>{' '}
            and the token, also those of the examples below.
          </p>
        )}
      </section>
      <section class="card">
        <h2>First call</h2>
        <Examples
          examples={setupExamples(props.service, network)}
          url={url}
          maskedUrl={maskedUrl}
          isRevealed={isRevealed}
        />
      </section>
      <Console
        {...{ base, url, maskedUrl, isRevealed, methods, needsToken, choice, problems, call }}
        network={network.title}
        allowed={shown.access.methods}
        referencePath={props.referencePath}
      />
    </KeyPage>
  )
}
