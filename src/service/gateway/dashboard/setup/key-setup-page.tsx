import type { KeySummary } from '../../keys/index.js'
import type { DashboardNetwork } from '../dashboard-services.js'
import { KeyPage } from '../one-key/key-page.js'
import { CopyButton } from '../parts/code-block.js'
import type { FormProblems } from '../parts/form.js'
import { Notice } from '../parts/notice.js'
import { RevealLink, Secret } from '../parts/secret.js'
import type { AnsweredCall } from './call-answer.js'
import { Console, type ConsoleChoice, type RefusingList } from './console.js'
import type { ConsoleMethod } from './console-methods.js'
import { Examples } from './examples.js'
import { setupExamples } from './setup-examples.js'

interface KeySetupPageProps {
  /** Name of the service. */
  readonly service: string
  readonly shown: KeySummary
  readonly network: DashboardNetwork
  /** URL with the key. */
  readonly url: string
  /** URL with the masked key. */
  readonly maskedUrl: string
  /** True if the page shows the key unmasked. */
  readonly isRevealed: boolean
  readonly notice?: string | undefined
  readonly methods: readonly ConsoleMethod[]
  readonly choice: ConsoleChoice
  readonly problems?: FormProblems | undefined
  readonly call?: AnsweredCall | undefined
  readonly referencePath: string
  /** Allow lists of the key that refuse the calls of this page. */
  readonly refusingLists: readonly RefusingList[]
}

/** The first tab of a key: URL, examples and console. */
export function KeySetupPage(props: KeySetupPageProps) {
  const { shown, network, url, maskedUrl, isRevealed, notice, methods, choice, problems, call } = props
  const base = `/keys/${shown.id}`
  const needsToken = shown.access.jwt !== undefined
  return (
    <KeyPage shown={shown} network={network.title} tab="">
      {notice && <Notice>{notice}</Notice>}
      {shown.state === 'disabled' && (
        <p class="notice bad">This key is disabled. Calls with it are refused until you enable it.</p>
      )}
      <section class="card">
        <h2>URL</h2>
        <p class="muted">Anyone with this URL can spend your requests. Treat it like a password.</p>
        <div class="copy">
          <Secret plain={url} masked={maskedUrl} isRevealed={isRevealed} />
          <RevealLink base={base} isRevealed={isRevealed} />
          <CopyButton text={url} label="Copy the URL" />
        </div>
        {needsToken && (
          <p class="muted after">
            This key also requires a token, in the header <code>Authorization: Bearer</code> of each request.
            The examples read it from the variable <code>TOKEN</code>.
          </p>
        )}
      </section>
      <section class="card">
        <h2>First call</h2>
        <Examples
          examples={setupExamples(props.service, network, needsToken)}
          url={url}
          maskedUrl={maskedUrl}
          isRevealed={isRevealed}
        />
      </section>
      <Console
        {...{ base, url, maskedUrl, isRevealed, methods, needsToken, choice, problems, call }}
        network={network.title}
        refusingLists={props.refusingLists}
        allowed={shown.access.methods}
        referencePath={props.referencePath}
      />
    </KeyPage>
  )
}
